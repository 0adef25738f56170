#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>

/*
 * The guard of a bare directory: the immutable flag (ioctl_iflags(2)). Root in a container that is bound to it
 * cannot create a file there, while a driver can still mount over it. Needs CAP_LINUX_IMMUTABLE. All take an
 * O_PATH descriptor of the directory itself, not of what is mounted on it.
 */

/* 1 or 0; -1 with errno where the file system has no such flag. */
int guard_is_on(int directory);

/* Sets or clears the flag; false with errno. *changed, if asked, says whether it was otherwise before. */
bool guard_set(int directory, bool on, bool *changed);

/*
 * The directory of that name beneath all that is mounted on it, seen through a detached copy of its parent's
 * mount; -1 with errno, ENOSYS before Linux 5.2.
 */
int guard_reveal(int parent, const char *name);

#endif
