#ifndef NAMESPACE_H
#define NAMESPACE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Enters the mount namespace of a process and returns an O_PATH descriptor of the root directory that the
 * process has there. From then on /proc is reached by the working directory, since the namespace's own
 * /proc may belong to another PID namespace. For child processes only; needs CAP_SYS_ADMIN and CAP_SYS_CHROOT.
 */
int namespace_enter(pid_t pid, uint64_t start_ticks);

/*
 * Copies the current mount namespace; mounts and unmounts in the copy reach nobody else. Returns the root
 * again, in the copy.
 */
int namespace_make_private(int root);

#endif
