#include "failure.h"

#include <errno.h>
#include <unistd.h>

#include "json.h"
#include "memory.h"

static struct failure *caught;
static struct failure *copied;
static void (*undo_first)(void *context);
static void *undo_context;

static void store(struct failure *into, const struct failure *failure)
{
	*into = *failure;
	into->set = true;
}

void failure_catch(struct failure *into)
{
	undo_first = NULL; /* that is the parent's */
	caught = into;
}

void failure_copy(struct failure *into)
{
	copied = into;
}

void failure_undo(void (*undo)(void *context), void *context)
{
	undo_first = undo;
	undo_context = context;
}

void failure_to_stderr(void)
{
	json_to(STDERR_FILENO);
}

void fail_with(const struct failure *failure)
{
	void (*undo)(void *) = undo_first;
	undo_first = NULL;
	if (undo)
		undo(undo_context);
	if (caught) {
		store(caught, failure);
		_exit(1);
	}
	if (copied)
		store(copied, failure);
	struct error_record record = {
		.code = failure->code,
		.errno_ = failure->number ? errno_name(failure->number) : NULL,
		.what = failure->what,
		.path = failure->path,
	};
	emit_error(&record);
	json_finish(false);
	_exit(failure->code == ERROR_CODE_USAGE ? 2 : 1);
}

void fail(enum error_code code, const char *what, const char *path)
{
	fail_with(&(struct failure){.code = code, .what = what, .path = path});
}

static enum error_code code_of(int number)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR:
		return ERROR_CODE_NOT_FOUND;
	case ELOOP:
		return ERROR_CODE_SYMLINK;
	case EEXIST:
		return ERROR_CODE_EXISTS;
	case ESRCH:
		return ERROR_CODE_NO_PROCESS;
	default:
		return ERROR_CODE_SYSTEM;
	}
}

void fail_errno(const char *what, const char *path)
{
	int number = errno;
	fail_with(&(struct failure){.code = code_of(number), .number = number, .what = what, .path = path});
}

static const struct {
	int number;
	const char *name;
} names[] = {
#define NAMED(name) {name, #name}
	NAMED(EPERM), NAMED(ENOENT), NAMED(ESRCH), NAMED(EINTR), NAMED(EIO), NAMED(ENXIO), NAMED(E2BIG),
	NAMED(ENOEXEC), NAMED(EBADF), NAMED(ECHILD), NAMED(EAGAIN), NAMED(ENOMEM), NAMED(EACCES), NAMED(EFAULT),
	NAMED(EBUSY), NAMED(EEXIST), NAMED(EXDEV), NAMED(ENODEV), NAMED(ENOTDIR), NAMED(EISDIR), NAMED(EINVAL),
	NAMED(ENFILE), NAMED(EMFILE), NAMED(ENOTTY), NAMED(EFBIG), NAMED(ENOSPC), NAMED(EROFS), NAMED(EMLINK),
	NAMED(EPIPE), NAMED(ERANGE), NAMED(EDEADLK), NAMED(ENAMETOOLONG), NAMED(ENOSYS), NAMED(ENOTEMPTY),
	NAMED(ELOOP), NAMED(ENODATA), NAMED(ETIME), NAMED(EPROTO), NAMED(EOVERFLOW), NAMED(EUSERS),
	NAMED(ENOTSOCK), NAMED(EPROTOTYPE), NAMED(EOPNOTSUPP), NAMED(EADDRINUSE), NAMED(ECONNABORTED),
	NAMED(ECONNRESET), NAMED(ENOBUFS), NAMED(EISCONN), NAMED(ENOTCONN), NAMED(ETIMEDOUT),
	NAMED(ECONNREFUSED), NAMED(EHOSTDOWN), NAMED(EHOSTUNREACH), NAMED(EALREADY), NAMED(EINPROGRESS),
	NAMED(ESTALE), NAMED(EDQUOT), NAMED(ECANCELED), NAMED(EUCLEAN), NAMED(EKEYEXPIRED), NAMED(EKEYREVOKED),
#undef NAMED
};

const char *errno_name(int number)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == number)
			return names[i].name;
	return memory_format("%d", number);
}
