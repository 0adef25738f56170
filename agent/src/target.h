#ifndef TARGET_H
#define TARGET_H

#include "mountinfo.h"

/*
 * A path of the current mount namespace: the directory that it lies in, and what is there now. Nothing here
 * asks the file system that is mounted on it, so that it may be dead.
 */
struct target {
	const char *path;
	const char *last; /* name in the parent */
	int parent;
	int descriptor; /* O_PATH of the topmost; -1 when nothing has that name */
	struct mount_table mounts;
	const struct mount *mount; /* the topmost on exactly this path, NULL when it is bare or absent */
	uint64_t layers;
};

/* Symbolic links may lead to the parent, the last component must not be one. Fails when there is no parent. */
struct target target_open(int root, const char *path);

/* The same for a path below trusted, where only the way to trusted may have symbolic links. */
struct target target_open_within(int root, const char *trusted, const char *path);

/* Looks again at what is there now. */
void target_refresh(struct target *target);

/* Detaches the topmost mount, which must have nothing nested in it; false with errno. */
bool target_detach(struct target *target);

/* Fails with "mounted" when something is mounted inside the topmost mount, which would go with it. */
void target_must_have_nothing_nested(const struct target *target);

void target_close(struct target *target);

/* Detaches exactly the mount that an O_PATH descriptor lies at the root of; false with errno. */
bool detach_mount(int descriptor);

#endif
