#ifndef PARALLEL_H
#define PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs body for every index below count, each in a child process of its own, some at a time, and kills those
 * that need more than so many milliseconds; finished[index] says which came to their end. Bodies run at once:
 * they may write to what they were handed, but take no memory and do not fail.
 */
void parallel_run(int milliseconds, size_t count, void (*body)(size_t index, void *context), void *context,
	bool *finished);

#endif
