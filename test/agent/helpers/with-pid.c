/* with-pid PID COMMAND...: runs a command whose process has that id (clone3 with set_tid, Linux 5.5). */
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	pid_t wanted = atoi(argv[1]);
	struct clone_args arguments = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&wanted,
		.set_tid_size = 1,
	};
	long pid = syscall(SYS_clone3, &arguments, sizeof(arguments));
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	int status = 1;
	if (pid < 0 || waitpid((pid_t)pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
