#ifndef FAILURE_H
#define FAILURE_H

#include "protocol.gen.h"

struct failure {
	bool set;
	enum error_code code;
	int number;
	const char *what;
	const char *path;
};

/*
 * Ends the run: an error record, the end record, exit code 1 (2 for usage). In a child of bounded_run it is
 * handed to the parent instead.
 */
_Noreturn void fail(enum error_code code, const char *what, const char *path);

/* The same for a system call that failed; the code is chosen by errno. */
_Noreturn void fail_errno(const char *what, const char *path);

_Noreturn void fail_with(const struct failure *failure);

/* From here on, failures are stored there and end the process. */
void failure_catch(struct failure *into);

/* From here on, failures are stored there too. */
void failure_copy(struct failure *into);

/* From here on, error records go to standard error: standard output belongs to a byte stream. */
void failure_to_stderr(void);

/* From here on, a failure undoes something before it ends the process; a failure in undo itself does not. */
void failure_undo(void (*undo)(void *context), void *context);

/* "ENOENT"; the number in digits where it has no common name. */
const char *errno_name(int number);

#endif
