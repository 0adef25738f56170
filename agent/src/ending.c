#include "ending.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "failure.h"
#include "memory.h"
#include "procfs.h"

enum { PAUSE = 20 };

void ending_signal(pid_t pid, uint64_t start_ticks, int number)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int reason = errno;
	procfs_must_be(pid, start_ticks); /* after the descriptor was opened: now the id can't change hands */
	if (process < 0 && reason != ENOSYS && reason != EPERM) {
		errno = reason;
		fail_errno("open a process", NULL);
	}
	/* Kernels before 5.3 have no pidfd_open, old seccomp profiles refuse it. */
	long sent = process >= 0 ? syscall(SYS_pidfd_send_signal, process, number, NULL, 0) : kill(pid, number);
	if (sent < 0)
		fail_errno(memory_format("send a signal to process %d", pid), NULL);
	if (process >= 0)
		close(process);
}

static bool has_ended(pid_t pid, uint64_t start_ticks)
{
	struct process_stat stat;
	return !procfs_stat(pid, &stat) || stat.start_ticks != start_ticks || stat.state == 'Z';
}

bool ending_wait(pid_t pid, uint64_t start_ticks, int64_t milliseconds)
{
	int64_t deadline = clock_milliseconds() + milliseconds;
	while (!has_ended(pid, start_ticks)) {
		if (clock_milliseconds() >= deadline)
			return false;
		clock_sleep(PAUSE);
	}
	return true;
}

void run_end_process(const struct end_process_arguments *arguments)
{
	static const int numbers[] = {[SIGNAL_TERM] = SIGTERM, [SIGNAL_KILL] = SIGKILL};
	if (arguments->pid == 1)
		fail(ERROR_CODE_USAGE, "process 1 is never ended", NULL);
	int64_t start = clock_milliseconds();
	ending_signal(arguments->pid, arguments->start_ticks, numbers[arguments->signal]);
	bool ended = ending_wait(arguments->pid, arguments->start_ticks, (int64_t)arguments->wait);
	struct signalled_record record = {
		.pid = (uint64_t)arguments->pid,
		.ended = ended,
		.waited = (uint64_t)(clock_milliseconds() - start),
	};
	emit_signalled(&record);
}
