#ifndef SYSTEMCTL_H
#define SYSTEMCTL_H

#include "protocol.gen.h"

/*
 * Runs the host's systemctl in PID 1's mount namespace and root, and waits at most so many milliseconds
 * ("hung" after that). Fails with "unsupported" where the host has none.
 */
struct systemctl_record systemctl_run(const char *const *arguments, int milliseconds);

#endif
