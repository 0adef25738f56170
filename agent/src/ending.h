#ifndef ENDING_H
#define ENDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Sends a signal to the process with that id and start time, never to another one that got the id since;
 * fails with "no-process" when it is gone.
 */
void ending_signal(pid_t pid, uint64_t start_ticks, int number);

/* Waits until that process has ended; false after so many milliseconds. */
bool ending_wait(pid_t pid, uint64_t start_ticks, int64_t milliseconds);

#endif
