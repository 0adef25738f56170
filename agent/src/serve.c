#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failure.h"
#include "memory.h"
#include "procfs.h"

enum { MAX_LINE = 1 << 16, MAX_WORDS = 1 << 10 };

/* Where a child that broke off left its answer incomplete: the count that cannot be right says so. */
static const char broken[] = "\n{\"v\":1,\"kind\":\"end\",\"ok\":false,\"records\":0}\n";

static char *words[MAX_WORDS + 2];

/* One byte at a time: what follows the line is not ours to read yet. False at the end of the input. */
static bool read_line(char *line)
{
	for (size_t length = 0; length < MAX_LINE; length++) {
		ssize_t got = read(STDIN_FILENO, line + length, 1);
		if (got < 0 && errno == EINTR) {
			length--;
			continue;
		}
		if (got <= 0)
			return false;
		if (line[length] == '\n') {
			line[length] = '\0';
			return true;
		}
	}
	fail(ERROR_CODE_TOO_LARGE, "a command line is too long", NULL);
}

/* The words of a line; arguments are percent-encoded, so that no word holds a space. */
static void split(char *line)
{
	size_t count = 1;
	char *rest = NULL;
	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (count > MAX_WORDS)
			fail(ERROR_CODE_TOO_LARGE, "a command line has too many words", NULL);
		words[count++] = word;
	}
	words[count] = NULL;
}

/* A process of its own for each command: namespaces that it enters and failures that end it are its own too. */
static _Noreturn void become(void)
{
	close(STDIN_FILENO); /* the lines that follow are not this command's */
	open("/", O_PATH);
	execv("/proc/self/exe", words);
	_exit(127);
}

static void answer(char *line)
{
	int status = 0;
	split(line);
	pid_t pid = fork();
	if (pid < 0)
		fail_errno("start a child process", NULL);
	if (pid == 0)
		become();
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	bool answered = WIFEXITED(status) && WEXITSTATUS(status) <= 2;
	if (!answered && write(STDOUT_FILENO, broken, sizeof(broken) - 1) < 0)
		fail_errno("write an answer", NULL);
}

void run_serve(const struct serve_arguments *arguments)
{
	(void)arguments;
	static char line[MAX_LINE];
	words[0] = "agent";
	while (read_line(line))
		answer(line);
	_exit(0); /* no record of its own: every answer has its end already */
}
