#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failure.h"
#include "memory.h"
#include "procfs.h"

enum { MAX_LINE = 1 << 16, MAX_WORDS = 1 << 10, MAX_CONVERSATIONS = 64, MAX_ID = 16 };

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
static _Noreturn void become(int input, int output)
{
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	execv("/proc/self/exe", words);
	_exit(127);
}

static pid_t start(int input, int output)
{
	pid_t pid = fork();
	if (pid < 0)
		fail_errno("start a child process", NULL);
	if (pid == 0)
		become(input, output);
	return pid;
}

/* Where the child broke off, its answer has no end: it gets one. */
static void end(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	bool answered = WIFEXITED(status) && WEXITSTATUS(status) <= 2;
	if (!answered && write(STDOUT_FILENO, broken, sizeof(broken) - 1) < 0)
		fail_errno("write an answer", NULL);
}

static void answer(char *line)
{
	split(line);
	int nothing = open("/", O_PATH | O_CLOEXEC); /* the lines that follow are not this command's */
	end(start(nothing, STDOUT_FILENO));
	close(nothing);
}

/*
 * A command that waits for a word in the middle, while others are answered. It ends as it would with a connection of its
 * own when this one ends: its standard input does.
 */
struct conversation {
	char id[MAX_ID];
	pid_t pid; /* 0: free */
	int input;
	FILE *output;
};

static struct conversation conversations[MAX_CONVERSATIONS];

static struct conversation *conversation_of(const char *id, bool free)
{
	for (size_t i = 0; i < MAX_CONVERSATIONS; i++) {
		struct conversation *each = &conversations[i];
		if (free ? each->pid == 0 : each->pid != 0 && strcmp(each->id, id) == 0)
			return each;
	}
	return NULL;
}

/* Passes on so many lines that hold a text, and those before them. False at the end of the answer. */
static bool pass_on(struct conversation *conversation, const char *text, unsigned long count)
{
	static char line[MAX_LINE];
	while (count > 0) {
		if (!fgets(line, sizeof(line), conversation->output))
			return false;
		if (write(STDOUT_FILENO, line, strlen(line)) < 0)
			fail_errno("write an answer", NULL);
		count -= strstr(line, text) != NULL;
	}
	return true;
}

static void finish(struct conversation *conversation)
{
	close(conversation->input);
	fclose(conversation->output);
	end(conversation->pid);
	conversation->pid = 0;
}

/* "ID COUNT KIND COMMAND...": passes the answer on until so many records of a kind were written. */
static void converse(char *line)
{
	char *rest = NULL;
	const char *id = strtok_r(line, " ", &rest);
	const char *count = strtok_r(NULL, " ", &rest);
	const char *kind = strtok_r(NULL, " ", &rest);
	struct conversation *conversation = conversation_of(NULL, true);
	int input[2], output[2];
	if (!kind || strlen(id) >= MAX_ID)
		fail(ERROR_CODE_USAGE, "a conversation needs an id, a count, a kind of record and a command", NULL);
	if (!conversation)
		fail(ERROR_CODE_TOO_LARGE, "more conversations than are held at once", NULL);
	if (pipe2(input, O_CLOEXEC) < 0 || pipe2(output, O_CLOEXEC) < 0)
		fail_errno("make a pipe", NULL);
	split(rest);
	strcpy(conversation->id, id);
	conversation->pid = start(input[0], output[1]);
	conversation->input = input[1];
	conversation->output = fdopen(output[0], "r");
	close(input[0]);
	close(output[1]);
	if (!pass_on(conversation, memory_format("\"kind\":\"%s\"", kind), strtoul(count, NULL, 10)))
		finish(conversation);
}

/* "ID WORD": says it, and passes on the rest of the answer. One that has ended meanwhile has broken off. */
static void say(char *line)
{
	char *word = NULL;
	const char *id = strtok_r(line, " ", &word);
	struct conversation *conversation = id ? conversation_of(id, false) : NULL;
	if (!conversation) {
		(void)!write(STDOUT_FILENO, broken, sizeof(broken) - 1);
		return;
	}
	(void)!write(conversation->input, memory_format("%s\n", word), strlen(word) + 1);
	pass_on(conversation, "", ULONG_MAX);
	finish(conversation);
}

void run_serve(const struct serve_arguments *arguments)
{
	(void)arguments;
	static char line[MAX_LINE];
	words[0] = "agent";
	while (read_line(line)) {
		if (line[0] == '+')
			converse(line + 1);
		else if (line[0] == '=')
			say(line + 1);
		else
			answer(line);
	}
	_exit(0); /* no record of its own: every answer has its end already */
}
