#include "detached.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "journal.h"
#include "json.h"
#include "memory.h"

static void leave_the_caller(void)
{
	setsid();
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	leave_standard_streams();
}

static _Noreturn void worker(int journal, void (*work)(void *), void *context, struct failure *failure)
{
	leave_the_caller();
	json_to(journal);
	failure_copy(failure);
	work(context);
	json_flush();
	fsync(journal);
	_exit(0);
}

struct detached detached_start(const char *run, void (*work)(void *), void *context)
{
	struct failure *failure = memory_take(sizeof(*failure));
	int journal = journal_open(run);
	int life[2];
	if (pipe2(life, O_CLOEXEC) < 0)
		fail_errno("make a pipe", NULL);
	json_flush();
	pid_t pid = fork();
	if (pid < 0)
		fail_errno("start a child process", NULL);
	if (pid == 0) {
		close(life[0]);
		worker(journal, work, context, failure);
	}
	close(life[1]);
	close(journal);
	return (struct detached){pid, life[0], failure};
}

bool detached_wait(const struct detached *detached, int milliseconds)
{
	bool ended = milliseconds > 0 && bounded_closed(detached->life, milliseconds);
	close(detached->life);
	if (!ended)
		return false;
	waitpid(detached->pid, NULL, 0);
	memory_adopt();
	if (detached->failure->set)
		fail_with(detached->failure);
	return true;
}

bool detached_run(const char *run, int milliseconds, void (*work)(void *), void *context)
{
	struct detached detached = detached_start(run, work, context);
	return detached_wait(&detached, milliseconds);
}
