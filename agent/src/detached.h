#ifndef DETACHED_H
#define DETACHED_H

#include <stdbool.h>

/*
 * Runs work in a process of its own that goes on when the caller, its exec stream or its terminal are gone. Its
 * records, also that of a failure, go to a run's journal. Returns true when it ended within so many
 * milliseconds (0: do not wait) without a failure; its failure is the caller's failure. What it stores in
 * memory_take's memory is seen by the caller.
 */
bool detached_run(const char *run, int milliseconds, void (*work)(void *context), void *context);

#endif
