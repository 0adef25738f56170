#include "systemctl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arguments.h"
#include "clock.h"
#include "detached.h"
#include "failure.h"
#include "memory.h"
#include "path.h"

enum { DEADLINE = 90000, MAX_OUTPUT = 1 << 18, NOT_FOUND = 127, NO_ENTRY = 126 };

static const char *const places[] = {
	"/usr/bin/systemctl",
	"/bin/systemctl",
	"/run/current-system/sw/bin/systemctl", /* NixOS */
};

static bool enter_host(int namespace, int root)
{
	return setns(namespace, CLONE_NEWNS) == 0 && fchdir(root) == 0 && chroot(".") == 0;
}

static _Noreturn void become_systemctl(int output, int namespace, int root, const char *const *arguments)
{
	static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "SYSTEMD_COLORS=0",
		"SYSTEMD_PAGER=", NULL};
	if (!enter_host(namespace, root))
		_exit(NO_ENTRY);
	int null = open("/dev/null", O_RDONLY);
	dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		execve(places[i], (char *const *)arguments, environment);
	_exit(NOT_FOUND);
}

/* Reads until the writers are gone; false when the time ran out first. */
static bool read_output(int pipe, struct systemctl_record *record, int64_t deadline)
{
	char *output = memory_take(MAX_OUTPUT + 1);
	size_t used = 0;
	record->output = output;
	for (;;) {
		char spare[4096];
		bool full = used == MAX_OUTPUT;
		struct pollfd poller = {.fd = pipe, .events = POLLIN};
		int64_t left = deadline - clock_milliseconds();
		if (left <= 0 || poll(&poller, 1, (int)left) == 0)
			return false;
		ssize_t got = full ? read(pipe, spare, sizeof(spare)) : read(pipe, output + used, MAX_OUTPUT - used);
		if (got <= 0)
			return true;
		record->truncated |= full;
		used += full ? 0 : (size_t)got;
	}
}

struct systemctl_record systemctl_run(const char *const *arguments, int milliseconds)
{
	struct systemctl_record record = {0};
	int root = path_root_of(1, 0);
	int namespace = open("/proc/1/ns/mnt", O_RDONLY | O_CLOEXEC);
	int output[2], status = 0;
	if (namespace < 0 || pipe2(output, O_CLOEXEC) < 0)
		fail_errno("reach the host's mount namespace", "/proc/1/ns/mnt");
	pid_t pid = fork();
	if (pid < 0)
		fail_errno("start a child process", NULL);
	if (pid == 0)
		become_systemctl(output[1], namespace, root, arguments);
	close(output[1]);
	if (!read_output(output[0], &record, clock_milliseconds() + milliseconds)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		fail(ERROR_CODE_HUNG, "systemctl did not end in time", NULL);
	}
	waitpid(pid, &status, 0);
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (code == NO_ENTRY)
		fail(ERROR_CODE_NO_ACCESS, "enter the host's root: needs CAP_SYS_ADMIN and CAP_SYS_CHROOT", "/proc/1/root");
	if (code == NOT_FOUND)
		fail(ERROR_CODE_UNSUPPORTED, "the host has no systemctl", NULL);
	record.exit_code = memory_uint((uint64_t)code);
	close(output[0]);
	close(root);
	close(namespace);
	return record;
}

/* Units may carry secrets in their environment, and show without properties prints it. */
static void check_properties(const struct systemctl_arguments *arguments)
{
	bool show = arguments->verb == VERB_SHOW;
	if (show != (arguments->property.count > 0))
		arguments_refuse("systemctl: --property goes with show, and show with --property");
	for (size_t i = 0; i < arguments->property.count; i++)
		if (strncmp(arguments->property.items[i], "Environment", strlen("Environment")) == 0)
			arguments_refuse("systemctl: environments may hold secrets and are not shown");
}

static const char *const *command_line(const struct systemctl_arguments *arguments)
{
	const char **line = memory_take((arguments->property.count + 6) * sizeof(*line));
	size_t count = 0;
	line[count++] = "systemctl";
	line[count++] = "--no-ask-password";
	for (size_t i = 0; i < arguments->property.count; i++)
		line[count++] = memory_format("--property=%s", arguments->property.items[i]);
	line[count++] = verb_names[arguments->verb];
	if (arguments->unit) {
		line[count++] = "--";
		line[count++] = arguments->unit;
	}
	return line;
}

static void run_to_journal(void *context)
{
	struct systemctl_record record = systemctl_run(context, DEADLINE);
	record.detached = true;
	emit_systemctl(&record);
}

void run_systemctl(const struct systemctl_arguments *arguments)
{
	if ((arguments->unit == NULL) != (arguments->verb == VERB_DAEMON_RELOAD))
		arguments_refuse("systemctl: every verb but daemon-reload needs --unit");
	if (arguments->detach != (arguments->run != NULL))
		arguments_refuse("systemctl: --detach goes with --run");
	check_properties(arguments);
	const char *const *line = command_line(arguments);
	struct systemctl_record record = {.output = "", .detached = true};
	if (arguments->detach)
		detached_run(arguments->run, 0, run_to_journal, (void *)line);
	else
		record = systemctl_run(line, DEADLINE);
	emit_systemctl(&record);
}
