#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "crash.h"
#include "detached.h"
#include "failure.h"
#include "json.h"
#include "memory.h"
#include "namespace.h"
#include "replace.h"

enum { GRACE = 30000, PER_TARGET = 5000, MAX_LINE = 32 };

/*
 * The keeper holds the dead mounts: they are gone when it is. So it is a process of its own, which goes on when
 * the caller, its exec stream or the agent that reads the caller's word are gone, and then decides by what it
 * finds on the targets.
 */
struct transaction {
	const struct replace_arguments *arguments;
	struct replacement *replacements;
	struct released_record *released;
	size_t count;
	int ready[2]; /* the keeper writes when the targets are bare */
	int word[2]; /* the decision, one byte */
};

static void restore_all(void *context)
{
	struct transaction *transaction = context;
	for (size_t i = transaction->count; i-- > 0;)
		if (transaction->replacements[i].record.target)
			replacement_release(&transaction->replacements[i], DECISION_ROLLBACK,
				(int)transaction->arguments->deadline);
}

static void take_all(struct transaction *transaction)
{
	const struct replace_arguments *arguments = transaction->arguments;
	int root = namespace_enter(arguments->at, arguments->start_ticks);
	for (size_t i = 0; i < transaction->count; i++)
		replacement_check(&transaction->replacements[i], root, arguments, arguments->target.items[i]);
	failure_undo(restore_all, transaction);
	for (size_t i = 0; i < transaction->count; i++)
		replacement_take(&transaction->replacements[i], arguments);
	for (size_t i = 0; i < transaction->count; i++)
		emit_guarded(&transaction->replacements[i].record);
	json_flush();
}

/* One byte from a pipe, or nothing when its other end is gone or the time is over. */
static enum decision await_word(int descriptor, int64_t milliseconds)
{
	unsigned char word = DECISION_LOOK;
	struct pollfd poller = {.fd = descriptor, .events = POLLIN};
	if (poll(&poller, 1, (int)milliseconds) == 1 && read(descriptor, &word, 1) == 1)
		return (enum decision)word;
	return DECISION_LOOK;
}

static void keep(void *context)
{
	struct transaction *transaction = context;
	const struct replace_arguments *arguments = transaction->arguments;
	close(transaction->word[1]);
	close(transaction->ready[0]);
	take_all(transaction);
	char byte = 0;
	(void)!write(transaction->ready[1], &byte, 1);
	enum decision decision = await_word(transaction->word[0], (int64_t)arguments->wait + GRACE);
	crash_point("decided");
	/* In the reverse order, so that what propagates from one target to another does so again. */
	for (size_t i = transaction->count; i-- > 0;) {
		transaction->released[i] =
			replacement_release(&transaction->replacements[i], decision, (int)arguments->deadline);
		emit_released(&transaction->released[i]);
		json_flush();
	}
}

/* The caller's line; its end, any other line and silence mean the same: look for yourself. */
static enum decision read_line(int64_t milliseconds)
{
	char line[MAX_LINE] = "";
	int64_t deadline = clock_milliseconds() + milliseconds;
	for (size_t length = 0; length < sizeof(line) - 1; length++) {
		struct pollfd poller = {.fd = STDIN_FILENO, .events = POLLIN};
		int64_t left = deadline - clock_milliseconds();
		if (left <= 0 || poll(&poller, 1, (int)left) != 1 || read(STDIN_FILENO, line + length, 1) != 1)
			return DECISION_LOOK;
		if (line[length] != '\n')
			continue;
		line[length] = '\0';
		if (strcmp(line, decision_names[DECISION_COMMIT]) == 0)
			return DECISION_COMMIT;
		return strcmp(line, decision_names[DECISION_ROLLBACK]) == 0 ? DECISION_ROLLBACK : DECISION_LOOK;
	}
	return DECISION_LOOK;
}

/* Waits until the targets are bare; false when the keeper ended before. */
static bool await_ready(struct transaction *transaction)
{
	char byte;
	int milliseconds = GRACE + PER_TARGET * (int)transaction->count;
	struct pollfd poller = {.fd = transaction->ready[0], .events = POLLIN};
	return poll(&poller, 1, milliseconds) == 1 && read(transaction->ready[0], &byte, 1) == 1;
}

static void block_signals(void)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

static struct transaction *prepare(const struct replace_arguments *arguments)
{
	struct transaction *transaction = memory_take(sizeof(*transaction));
	transaction->arguments = arguments;
	transaction->count = arguments->target.count;
	transaction->replacements = memory_take(transaction->count * sizeof(struct replacement));
	transaction->released = memory_take(transaction->count * sizeof(struct released_record));
	if (pipe2(transaction->ready, O_CLOEXEC) < 0 || pipe2(transaction->word, O_CLOEXEC) < 0)
		fail_errno("make a pipe", NULL);
	return transaction;
}

void run_replace(const struct replace_arguments *arguments)
{
	struct transaction *transaction = prepare(arguments);
	block_signals();
	struct detached keeper = detached_start(arguments->run, keep, transaction);
	close(transaction->ready[1]);
	close(transaction->word[0]);
	if (await_ready(transaction)) {
		memory_adopt();
		for (size_t i = 0; i < transaction->count; i++)
			emit_guarded(&transaction->replacements[i].record);
		json_flush();
		unsigned char word = (unsigned char)read_line((int64_t)arguments->wait);
		(void)!write(transaction->word[1], &word, 1);
	}
	if (!detached_wait(&keeper, GRACE + PER_TARGET * (int)transaction->count))
		fail(ERROR_CODE_HUNG, "it goes on by itself; its result goes to the journal", NULL);
	memory_adopt();
	for (size_t i = 0; i < transaction->count; i++)
		emit_released(&transaction->released[i]);
}
