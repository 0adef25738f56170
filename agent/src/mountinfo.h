#ifndef MOUNTINFO_H
#define MOUNTINFO_H

#include <sys/types.h>

#include "protocol.gen.h"

struct mount_table {
	struct mount *mounts;
	size_t count;
};

/* Takes one line of mountinfo apart (proc(5)), undoing its octal escapes; false when it is not of that form. */
bool parse_mount(const char *line, size_t length, struct mount *mount);

/* Takes a whole mountinfo apart; lines of another form are left out. */
struct mount_table parse_mountinfo(const char *text);

/* The mounts that a process sees; fails when they can't be read. */
struct mount_table mountinfo_of(pid_t pid);

/* The mounts of this process's own namespace. */
struct mount_table mountinfo_of_self(void);

const struct mount *mount_by_id(const struct mount_table *table, uint64_t id);

/* The last mount made on exactly this path; NULL when there is none. *layers, if asked, counts them. */
const struct mount *mount_on(const struct mount_table *table, const char *path, uint64_t *layers);

/* The id of the mount that an open descriptor of this process lies on; 0 when unknown. Takes no memory. */
uint64_t mount_id_of_descriptor(int descriptor);

#endif
