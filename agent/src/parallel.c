#include "parallel.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bounded.h"
#include "clock.h"
#include "failure.h"

enum { AT_ONCE = 32 };

struct child {
	pid_t pid;
	int life; /* closed when the child is gone */
};

static _Noreturn void become_child(size_t index, void (*body)(size_t, void *), void *context)
{
	leave_standard_streams();
	body(index, context);
	_exit(0);
}

static struct child start(size_t index, void (*body)(size_t, void *), void *context)
{
	int life[2];
	if (pipe2(life, O_CLOEXEC) < 0)
		fail_errno("make a pipe", NULL);
	pid_t pid = fork();
	if (pid < 0)
		fail_errno("start a child process", NULL);
	if (pid == 0) {
		close(life[0]);
		become_child(index, body, context);
	}
	close(life[1]);
	return (struct child){pid, life[0]};
}

/* Whether it came to its end in time; one that even SIGKILL does not end is left behind. */
static bool finish(struct child child, int64_t deadline)
{
	int64_t left = deadline - clock_milliseconds();
	int status = 1;
	bool ended = bounded_closed(child.life, left > 0 ? (int)left : 0);
	close(child.life);
	if (!ended)
		kill(child.pid, SIGKILL);
	for (int tries = 0; tries < 20 && waitpid(child.pid, &status, ended ? 0 : WNOHANG) == 0; tries++)
		clock_sleep(1);
	return ended && status == 0;
}

void parallel_run(int milliseconds, size_t count, void (*body)(size_t index, void *context), void *context,
	bool *finished)
{
	for (size_t first = 0; first < count; first += AT_ONCE) {
		struct child children[AT_ONCE];
		size_t size = count - first < AT_ONCE ? count - first : AT_ONCE;
		for (size_t i = 0; i < size; i++)
			children[i] = start(first + i, body, context);
		int64_t deadline = clock_milliseconds() + milliseconds;
		for (size_t i = 0; i < size; i++)
			finished[first + i] = finish(children[i], deadline);
	}
}
