#ifndef CRASH_H
#define CRASH_H

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
#else
static inline void crash_point(const char *name)
{
	(void)name;
}
#endif

#endif
