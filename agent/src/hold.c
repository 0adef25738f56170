#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "clock.h"
#include "host.h"
#include "json.h"

/*
 * Waits for SIGTERM or the end of the time. The signals are blocked and waited for, so that this works as
 * PID 1 too, whose default is to ignore them; children that others left to us are reaped.
 */
void run_hold(const struct hold_arguments *arguments)
{
	sigset_t signals;
	int64_t deadline = clock_milliseconds() + (int64_t)arguments->seconds * 1000;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	host_hello();
	json_flush();
	for (int64_t left; (left = deadline - clock_milliseconds()) > 0;) {
		struct timespec limit = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
		int got = sigtimedwait(&signals, NULL, &limit);
		if (got == SIGTERM || got == SIGINT)
			return;
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
	}
}
