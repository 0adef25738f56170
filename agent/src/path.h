#ifndef PATH_H
#define PATH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Paths on the host, reached below a directory descriptor and never leaving it, whatever symbolic links are
 * planted on the way: every component is opened on its own and never followed by the kernel, so this holds on
 * every kernel (openat2 is younger than some nodes, and old seccomp profiles refuse it).
 */

enum path_links {
	PATH_FOLLOW, /* resolve symbolic links as if the directory were "/" */
	PATH_REFUSE, /* ELOOP on any symbolic link, EXDEV on ".." */
};

/* An O_PATH descriptor of path below root; -1 with errno. The last component, too, obeys links. */
int path_open(int root, const char *path, enum path_links links);

/*
 * The root directory that a process sees; -1 with errno, ESRCH when start_ticks is not 0 and the process
 * started at another time.
 */
int path_try_root_of(pid_t pid, uint64_t start_ticks);

/* The same, where not getting it is a failure. */
int path_root_of(pid_t pid, uint64_t start_ticks);

/* Opens anew, with other flags, what an O_PATH descriptor stands for; -1 with errno. */
int path_reopen(int descriptor, int flags);

/* The path of a descriptor as its own mount namespace sees it; NULL with errno. */
char *path_of_descriptor(int descriptor);

/* DIRECTORY/NAME without a double slash. */
char *path_join(const char *directory, const char *name);

/* "MAJOR:MINOR" of a device number as stat gives it. */
char *path_device(dev_t device);

#endif
