#ifndef PROGRAM_H
#define PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Programs of the host, run in PID 1's mount namespace and root. */

/* Exit codes of a program that never ran: its root may not be entered; the host does not have it. */
enum { PROGRAM_NO_ENTRY = 126, PROGRAM_NOT_FOUND = 127 };

struct program {
	pid_t pid;
	int output; /* reads what it writes to standard output and standard error */
};

/*
 * Starts the first of the NULL-terminated places that the host has, with a fixed environment and an empty
 * standard input. Needs CAP_SYS_ADMIN and CAP_SYS_CHROOT.
 */
struct program program_start(const char *const *places, const char *const *arguments);

enum program_state { PROGRAM_ENDED, PROGRAM_FULL, PROGRAM_LATE };

/* Reads until the program ends, the buffer is full or the deadline (of clock_milliseconds) has come. */
enum program_state program_read(const struct program *program, char *buffer, size_t size, size_t *used, int64_t deadline);

/* Waits for its end. Returns its exit code, 128 and the signal's number when a signal ended it. */
int program_wait(struct program *program);

/* Ends it at once. */
void program_kill(struct program *program);

#endif
