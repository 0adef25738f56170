#ifndef FUSECTL_H
#define FUSECTL_H

#include <stdint.h>

/*
 * The kernel's control files of a FUSE connection (Documentation/filesystems/fuse.rst), found by the device of
 * one of its mounts: below root, where a process has them mounted, or in a detached mount of our own, which
 * needs CAP_SYS_ADMIN.
 */

/* Opens /sys/fs/fuse/connections/N/NAME; -1 with errno. */
int fusectl_open(int root, const char *device, const char *name, int flags);

/* MAJOR:MINOR of the mounts of a connection. */
const char *fusectl_device(uint64_t connection);

/* Requests that wait for the daemon, NULL when that can't be read. */
const uint64_t *fusectl_waiting(int root, const char *device);

#endif
