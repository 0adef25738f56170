#include <signal.h>
#include <string.h>

#include "clock.h"
#include "detached.h"
#include "ending.h"
#include "failure.h"
#include "kubelet.h"
#include "memory.h"
#include "procfs.h"
#include "systemctl.h"

enum { GRACE = 5000, KILL_GRACE = 5000, PAUSE = 100, SETTLE = 500, SPARE = 2000 };

struct restarting {
	const struct restart_kubelet_arguments *arguments;
	struct restarted_record done;
};

/* A process of the same name that started later, and lives on for a moment. */
static bool find_successor(const struct restart_kubelet_arguments *old, const char *comm, struct restarted_record *done)
{
	struct list names = {.items = &comm, .count = 1};
	struct kubelet_list found = kubelet_find(&names);
	for (size_t i = 0; i < found.count; i++) {
		const struct process_record *process = &found.items[i];
		if (strcmp(process->comm, comm) != 0 || process->start_ticks <= old->start_ticks)
			continue;
		if (ending_wait((pid_t)process->pid, process->start_ticks, SETTLE))
			continue;
		done->pid = process->pid;
		done->start_ticks = process->start_ticks;
		return true;
	}
	return false;
}

static void end_old(const struct restart_kubelet_arguments *old)
{
	ending_signal(old->pid, old->start_ticks, SIGTERM);
	if (ending_wait(old->pid, old->start_ticks, GRACE))
		return;
	ending_signal(old->pid, old->start_ticks, SIGKILL);
	if (!ending_wait(old->pid, old->start_ticks, KILL_GRACE))
		fail(ERROR_CODE_HUNG, "kubelet does not end", NULL);
}

static void restart_unit(const char *unit, int milliseconds)
{
	const char *line[] = {"systemctl", "--no-ask-password", "restart", "--", unit, NULL};
	struct systemctl_record record = systemctl_run(line, milliseconds);
	if (*record.exit_code != 0)
		fail(ERROR_CODE_SYSTEM, memory_format("systemctl restart: %s", record.output), unit);
}

static void restart(void *context)
{
	struct restarting *restarting = context;
	const struct restart_kubelet_arguments *old = restarting->arguments;
	struct process_stat stat;
	int64_t start = clock_milliseconds();
	int64_t deadline = start + (int64_t)old->wait;
	procfs_must_be(old->pid, old->start_ticks);
	if (!procfs_stat(old->pid, &stat))
		fail(ERROR_CODE_NO_PROCESS, "kubelet is gone", NULL);
	if (old->unit)
		restart_unit(old->unit, (int)old->wait);
	else
		end_old(old);
	while (!find_successor(old, stat.comm, &restarting->done)) {
		if (clock_milliseconds() >= deadline)
			fail(ERROR_CODE_HUNG, "no new kubelet came up", NULL);
		clock_sleep(PAUSE);
	}
	restarting->done.old_pid = (uint64_t)old->pid;
	restarting->done.waited = (uint64_t)(clock_milliseconds() - start);
	emit_restarted(&restarting->done);
}

void run_restart_kubelet(const struct restart_kubelet_arguments *arguments)
{
	struct restarting *shared = memory_take(sizeof(*shared));
	int limit = (int)arguments->wait + GRACE + KILL_GRACE + SPARE;
	shared->arguments = arguments;
	procfs_must_be(arguments->pid, arguments->start_ticks);
	if (!detached_run(arguments->run, limit, restart, shared))
		fail(ERROR_CODE_HUNG, "restart kubelet", NULL);
	emit_restarted(&shared->done);
}
