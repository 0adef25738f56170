#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "failure.h"
#include "path.h"

static bool enter_host(int namespace, int root)
{
	return setns(namespace, CLONE_NEWNS) == 0 && fchdir(root) == 0 && chroot(".") == 0;
}

static _Noreturn void become(const char *const *places, const char *const *arguments, int output, int namespace, int root)
{
	static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "SYSTEMD_COLORS=0",
		"SYSTEMD_PAGER=", NULL};
	if (!enter_host(namespace, root))
		_exit(PROGRAM_NO_ENTRY);
	int null = open("/dev/null", O_RDONLY);
	dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; places[i]; i++)
		execve(places[i], (char *const *)arguments, environment);
	_exit(PROGRAM_NOT_FOUND);
}

struct program program_start(const char *const *places, const char *const *arguments)
{
	int root = path_root_of(1, 0);
	int namespace = open("/proc/1/ns/mnt", O_RDONLY | O_CLOEXEC);
	int output[2];
	if (namespace < 0 || pipe2(output, O_CLOEXEC) < 0)
		fail_errno("reach the host's mount namespace", "/proc/1/ns/mnt");
	pid_t pid = fork();
	if (pid < 0)
		fail_errno("start a child process", NULL);
	if (pid == 0)
		become(places, arguments, output[1], namespace, root);
	close(output[1]);
	close(root);
	close(namespace);
	return (struct program){.pid = pid, .output = output[0]};
}

enum program_state program_read(const struct program *program, char *buffer, size_t size, size_t *used, int64_t deadline)
{
	while (*used < size) {
		struct pollfd poller = {.fd = program->output, .events = POLLIN};
		int64_t left = deadline - clock_milliseconds();
		if (left <= 0 || poll(&poller, 1, (int)left) == 0)
			return PROGRAM_LATE;
		ssize_t got = read(program->output, buffer + *used, size - *used);
		if (got <= 0)
			return PROGRAM_ENDED;
		*used += (size_t)got;
	}
	return PROGRAM_FULL;
}

int program_wait(struct program *program)
{
	int status = 0;
	close(program->output);
	waitpid(program->pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void program_kill(struct program *program)
{
	kill(program->pid, SIGKILL);
	program_wait(program);
}
