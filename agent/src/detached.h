#ifndef DETACHED_H
#define DETACHED_H

#include <stdbool.h>
#include <sys/types.h>

#include "failure.h"

/*
 * Runs work in a process of its own that goes on when the caller, its exec stream or its terminal are gone. Its
 * records, also that of a failure, go to a run's journal. Returns true when it ended within so many
 * milliseconds (0: do not wait) without a failure; its failure is the caller's failure. What it stores in
 * memory_take's memory is seen by the caller.
 */
bool detached_run(const char *run, int milliseconds, void (*work)(void *context), void *context);

struct detached {
	pid_t pid;
	int life; /* closed when the process is gone */
	const struct failure *failure;
};

/* The first half of detached_run: starts it. */
struct detached detached_start(const char *run, void (*work)(void *context), void *context);

/* The second half. */
bool detached_wait(const struct detached *detached, int milliseconds);

#endif
