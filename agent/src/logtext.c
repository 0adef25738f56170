#include "logtext.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "failure.h"
#include "memory.h"
#include "procfs.h"
#include "program.h"
#include "stamp.h"

enum { MAX_TEXT = 16 << 20, BLOCK = 1 << 20, MAX_UNDATED = 1000 };

static const char *const journalctl[] = {
	"/usr/bin/journalctl",
	"/bin/journalctl",
	"/run/current-system/sw/bin/journalctl", /* NixOS */
	NULL,
};

/* A file that has a hole or shrinks meanwhile ends early; so does one that cannot be read on. */
static size_t read_whole(int file, char *bytes, size_t size, off_t from)
{
	size_t used = 0;
	while (used < size) {
		size_t wanted = size - used < BLOCK ? size - used : BLOCK;
		ssize_t got = pread(file, bytes + used, wanted, from + (off_t)used);
		if (got < 0 && used == 0)
			fail_errno("read kubelet's log", NULL);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	return used;
}

struct log_text log_text_of_file(const struct sink *sink)
{
	struct stat facts;
	const char *path = memory_format("%s/%d/fd/%u", procfs_base, sink->holder, sink->descriptor);
	int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (file < 0 || fstat(file, &facts) < 0)
		fail_errno("open kubelet's log", sink->path);
	bool cut = facts.st_size > MAX_TEXT;
	size_t size = cut ? MAX_TEXT : (size_t)facts.st_size;
	char *bytes = memory_take(size + 1);
	size_t length = read_whole(file, bytes, size, facts.st_size - (off_t)size);
	close(file);
	return (struct log_text){.bytes = bytes, .length = length, .cut = cut, .written = facts.st_mtime};
}

/* The last line of what journalctl said. */
static const char *complaint(char *bytes, size_t length)
{
	while (length > 0 && bytes[length - 1] == '\n')
		bytes[--length] = '\0';
	const char *newline = strrchr(bytes, '\n');
	return newline ? newline + 1 : bytes;
}

static void must_have_run(int code, char *bytes, size_t length)
{
	if (code == PROGRAM_NO_ENTRY)
		fail(ERROR_CODE_UNSUPPORTED,
			"kubelet logs to the journal, which is read with full rights only: needs CAP_SYS_ADMIN and CAP_SYS_CHROOT", NULL);
	if (code == PROGRAM_NOT_FOUND)
		fail(ERROR_CODE_UNSUPPORTED, "kubelet logs to a socket, and the host has no journalctl", NULL);
	if (code != 0)
		fail(ERROR_CODE_SYSTEM, memory_format("journalctl ended with %d: %s", code, complaint(bytes, length)), NULL);
}

struct log_text log_text_of_journal(pid_t pid, int64_t since, int64_t deadline)
{
	const char *const arguments[] = {"journalctl", memory_format("_PID=%d", pid),
		memory_format("--since=@%lld", (long long)since), "--reverse", "--output=short-iso", "--no-pager",
		"--quiet", NULL};
	char *bytes = memory_take(MAX_TEXT + 1);
	struct log_text text = {.bytes = bytes, .newest_first = true, .written = time(NULL)};
	struct program program = program_start(journalctl, arguments);
	enum program_state state = program_read(&program, bytes, MAX_TEXT, &text.length, deadline);
	text.cut = state == PROGRAM_FULL;
	if (state == PROGRAM_ENDED)
		must_have_run(program_wait(&program), bytes, text.length);
	else
		program_kill(&program);
	if (state == PROGRAM_LATE)
		fail(ERROR_CODE_HUNG, "journalctl did not end in time", NULL);
	return text;
}

/* Copytruncate leaves NULs before the next line, where the writer does not append. */
static struct line behind_hole(struct line line)
{
	while (line.length > 0 && line.text[0] == '\0') {
		line.text++;
		line.length--;
	}
	return line;
}

bool log_next_line(const struct log_text *text, size_t *at, struct line *line)
{
	if (*at >= text->length)
		return false;
	line->text = text->bytes + *at;
	const char *newline = memchr(line->text, '\n', text->length - *at);
	line->length = newline ? (size_t)(newline - line->text) : text->length - *at;
	*at += line->length + 1;
	*line = behind_hole(*line);
	return true;
}

struct line log_first_dated(const struct log_text *text)
{
	struct line line;
	size_t at = 0;
	for (int lines = 0; lines < MAX_UNDATED && log_next_line(text, &at, &line); lines++)
		if ((lines > 0 || !text->cut) && stamp_of(line.text, line.length, text->written).dated)
			return line;
	return (struct line){0};
}

struct line log_last_dated(const struct log_text *text)
{
	size_t end = text->length;
	for (int lines = 0; lines < MAX_UNDATED && end > 0; lines++) {
		const char *newline = memrchr(text->bytes, '\n', end - 1);
		size_t start = newline ? (size_t)(newline + 1 - text->bytes) : 0;
		struct line line = behind_hole((struct line){.text = text->bytes + start, .length = end - start});
		if (stamp_of(line.text, line.length, text->written).dated)
			return line;
		end = start;
	}
	return (struct line){0};
}
