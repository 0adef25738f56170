#ifndef CRASH_H
#define CRASH_H

#include <stdbool.h>

/*
 * A place where tests kill the agent and its children, as a node that dies or a SIGKILL would. Only the test
 * binary has these.
 */
#ifdef CRASH_POINTS
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void crash_point(const char *name)
{
	const char *wanted = getenv("AGENT_CRASH_AT");
	if (!wanted || strcmp(wanted, name) != 0)
		return;
	kill(getppid(), SIGKILL);
	raise(SIGKILL);
}

/* Lets tests see what happens on a kernel that is older than a system call. */
static inline bool kernel_lacks(const char *call)
{
	const char *lacked = getenv("AGENT_KERNEL_LACKS");
	return lacked && strcmp(lacked, call) == 0;
}
#else
static inline void crash_point(const char *name)
{
	(void)name;
}

static inline bool kernel_lacks(const char *call)
{
	(void)call;
	return false;
}
#endif

#endif
