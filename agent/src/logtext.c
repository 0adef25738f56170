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

enum { MAX_TEXT = 16 << 20, BLOCK = 1 << 20 };

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
