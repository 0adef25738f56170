#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

/* A name in a plugins_registry: the directory it lies in, held open, so that no later rename can misdirect us. */
struct place {
	int directory;
	const char *last; /* name in that directory */
	const char *path; /* of the whole, for messages and records */
};

/*
 * Finds NAME of KUBELET_ROOT/plugins_registry below root. The way to plugins_registry may have symbolic links
 * (administrators move kubelet's root so), the way below it may not: CSI drivers can write there.
 */
struct place place_find(int root, const char *kubelet_root, const char *name);

/* False with errno when nothing has that name there. */
bool place_stat(const struct place *place, const char *last, struct stat *stat);

/* The file of that name; fails with "not-socket" unless it is a socket. */
struct stat place_must_be_socket(const struct place *place, const char *last);

/* Connects to it; the connected descriptor, or -1 with errno. */
int place_connect(const struct place *place, int milliseconds);

/* Renames within the directory and never replaces anything; false with errno. */
bool place_rename(const struct place *place, const char *from, const char *to);

/* Fails with "usage" when kubelet would ignore the name. */
void place_must_not_be_hidden(const struct place *place);

#endif
