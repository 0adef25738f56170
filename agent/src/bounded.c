#include "bounded.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "failure.h"
#include "memory.h"

#ifdef __SANITIZE_ADDRESS__
enum { LAST_STREAM = STDOUT_FILENO };
#else
enum { LAST_STREAM = STDERR_FILENO };
#endif

void leave_standard_streams(void)
{
	for (int stream = STDIN_FILENO; stream <= LAST_STREAM; stream++) {
		close(stream);
		open("/", O_PATH | O_CLOEXEC);
	}
}

static _Noreturn void child(void (*body)(void *), void *context, struct failure *failure)
{
	leave_standard_streams();
	failure_catch(failure);
	body(context);
	_exit(0);
}

bool bounded_closed(int descriptor, int milliseconds)
{
	struct pollfd poller = {.fd = descriptor, .events = POLLIN};
	int64_t deadline = clock_milliseconds() + milliseconds;
	for (;;) {
		int64_t left = deadline - clock_milliseconds();
		int ready = poll(&poller, 1, left > 0 ? (int)left : 0);
		if (ready >= 0 || errno != EINTR)
			return ready > 0;
	}
}

static void kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	for (int tries = 0; tries < 20 && waitpid(pid, NULL, WNOHANG) == 0; tries++)
		clock_sleep(5);
}

bool bounded_run(int milliseconds, void (*body)(void *context), void *context)
{
	struct failure *failure = memory_take(sizeof(*failure));
	int life[2];
	if (pipe2(life, O_CLOEXEC) < 0)
		fail_errno("make a pipe", NULL);
	pid_t pid = fork();
	if (pid < 0)
		fail_errno("start a child process", NULL);
	if (pid == 0) {
		close(life[0]);
		child(body, context, failure);
	}
	close(life[1]);
	bool finished = bounded_closed(life[0], milliseconds);
	close(life[0]);
	if (!finished) {
		kill_and_reap(pid);
		memory_adopt();
		return false;
	}
	int status = 0;
	waitpid(pid, &status, 0);
	memory_adopt();
	if (failure->set)
		fail_with(failure);
	if (status != 0)
		fail(ERROR_CODE_INTERNAL, memory_format("a child process ended with status %d", status), NULL);
	return true;
}

void bounded_must(int milliseconds, void (*body)(void *), void *context, const char *what, const char *path)
{
	if (!bounded_run(milliseconds, body, context))
		fail(ERROR_CODE_HUNG, what, path);
}
