#ifndef DIRECTORY_H
#define DIRECTORY_H

#include "mountinfo.h"
#include "protocol.gen.h"

/*
 * Describes a directory below root (an O_PATH descriptor of what a process sees as "/"); mounts are that
 * process's. Waits at most two seconds for its file system.
 */
struct directory directory_describe(int root, const struct mount_table *mounts, const char *path);

#endif
