#ifndef BOUNDED_H
#define BOUNDED_H

#include <stdbool.h>

/*
 * Runs body in a child process that is killed after so many milliseconds: any access to a path can hang for
 * ever when its file system does. What the child stores in memory_take's memory (and in context, when that
 * lies there) is seen by the caller, also after a kill. A failure in the child is the caller's failure.
 * Returns false when the time ran out. A child that the kernel cannot kill is left behind: it holds none of
 * the caller's descriptors 0 to 2, so nobody waits for it.
 */
bool bounded_run(int milliseconds, void (*body)(void *context), void *context);

/* The same, where running out of time is a failure ("hung"). */
void bounded_must(int milliseconds, void (*body)(void *context), void *context, const char *what, const char *path);

/*
 * Lets go of the caller's streams: a child that nothing can end must not hold them. Their numbers stay taken: a
 * descriptor that a child opened under one of them would be closed in a child of its own.
 */
void leave_standard_streams(void);

/* Waits until all copies of a pipe's other end are closed, that is: until those who hold it are gone. */
bool bounded_closed(int descriptor, int milliseconds);

#endif
