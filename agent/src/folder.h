#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>

#include "mountinfo.h"

/* A directory of kubelet's own file system that is walked, never into a mount that can die. */
struct folder {
	int descriptor; /* O_PATH; -1 when it can't be walked */
	const char *path;
};

/* The folder of that name in it; its descriptor is -1 when there is none, or when it lies on a mount that can die. */
struct folder folder_enter(const struct folder *folder, const char *name, const struct mount_table *mounts);

/* Calls visit with every name in it but "." and ".."; false when they could not all be listed. */
bool folder_each(const struct folder *folder, bool (*visit)(const char *name, void *context), void *context);

/* The text of a file in it, at most 64 KiB; NULL when there is none of that kind. */
const char *folder_read(const struct folder *folder, const char *name);

void folder_leave(const struct folder *folder);

#endif
