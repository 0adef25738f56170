#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "path.h"
#include "procfs.h"
#include "text.h"
#include "utf8.h"

enum { DEADLINE = 5000, MAX_JOURNAL = 1 << 20, MAX_LINES = 8192 };

static const char folder_name[] = "kubectl-csi";
static const char folder_path[] = "/run/kubectl-csi";
static const char suffix[] = ".jsonl";

/* The folder, -1 when it is not there and not to be made. */
static int open_folder(bool make)
{
	struct stat stat;
	int run = path_open(path_root_of(1, 0), "/run", PATH_FOLLOW);
	if (run < 0)
		fail_errno("open a directory", "/run");
	if (make && mkdirat(run, folder_name, 0700) < 0 && errno != EEXIST)
		fail_errno("make a directory", folder_path);
	int folder = openat(run, folder_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0 && errno == ENOENT && !make)
		return -1;
	if (folder < 0 || fstat(folder, &stat) < 0)
		fail_errno("open a directory", folder_path);
	if (stat.st_uid != 0 || (stat.st_mode & 077) != 0)
		fail(ERROR_CODE_NOT_OURS, "others than root may write there", folder_path);
	return folder;
}

static const char *file_name(const char *run)
{
	return memory_format("%s%s", run, suffix);
}

int journal_open(const char *run)
{
	struct stat stat;
	int folder = open_folder(true);
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
	int file = openat(folder, file_name(run), flags, 0600);
	if (file < 0 || fstat(file, &stat) < 0)
		fail_errno("open a journal", path_join(folder_path, file_name(run)));
	if (!S_ISREG(stat.st_mode))
		fail(ERROR_CODE_NOT_OURS, "it is no regular file", path_join(folder_path, file_name(run)));
	if (stat.st_size > MAX_JOURNAL)
		fail(ERROR_CODE_TOO_LARGE, "the journal is full", path_join(folder_path, file_name(run)));
	close(folder);
	return file;
}

/* What a JSON object on one line must be at least; its meaning is not ours. */
static void must_be_object(const char *line)
{
	size_t length = strlen(line);
	bool whole = length >= 2 && line[0] == '{' && line[length - 1] == '}';
	for (const unsigned char *at = (const unsigned char *)line; *at && whole; at += utf8_length(at))
		whole = *at >= 0x20 && utf8_length(at) > 0;
	if (!whole)
		fail(ERROR_CODE_USAGE, "--line must be one JSON object without line breaks", NULL);
}

static void append(void *context)
{
	const struct journal_append_arguments *arguments = context;
	const char *line = memory_format("%s\n", arguments->line);
	size_t length = strlen(line);
	int file = journal_open(arguments->run);
	if (write(file, line, length) != (ssize_t)length || fsync(file) < 0)
		fail_errno("append to a journal", folder_path);
}

void run_journal_append(const struct journal_append_arguments *arguments)
{
	must_be_object(arguments->line);
	bounded_must(DEADLINE, append, (void *)arguments, "append to a journal", folder_path);
}

struct reading {
	const char *run;
	size_t count;
	struct journal_record lines[MAX_LINES];
};

static void read_file(struct reading *reading, int folder, const char *name)
{
	size_t length = strlen(name) - strlen(suffix);
	const char *run = memory_copy_bytes(name, length);
	if (!text_is_word(run) || (reading->run && strcmp(run, reading->run) != 0))
		return;
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		fail_errno("open a journal", path_join(folder_path, name));
	const char *text = procfs_read(memory_format("%s/self/fd/%d", procfs_base, file), NULL);
	if (!text)
		fail_errno("read a journal", path_join(folder_path, name));
	close(file);
	for (struct list lines = parse_lines(text); lines.count > 0; lines.count--, lines.items++) {
		if (reading->count == MAX_LINES)
			fail(ERROR_CODE_TOO_LARGE, "more lines than are read at once", folder_path);
		reading->lines[reading->count++] = (struct journal_record){run, lines.items[0], true};
	}
	if (text[0] && !text_ends_with(text, "\n"))
		reading->lines[reading->count - 1].complete = false;
}

static void read_all(void *context)
{
	int folder = open_folder(false);
	DIR *stream = folder < 0 ? NULL : fdopendir(folder);
	if (!stream)
		return;
	for (struct dirent *entry; (entry = readdir(stream));)
		if (text_ends_with(entry->d_name, suffix))
			read_file(context, folder, entry->d_name);
	closedir(stream);
}

void run_journal_read(const struct journal_read_arguments *arguments)
{
	struct reading *reading = memory_take(sizeof(*reading));
	reading->run = arguments->run;
	bounded_must(DEADLINE, read_all, reading, "read the journals", folder_path);
	for (size_t i = 0; i < reading->count; i++)
		emit_journal(&reading->lines[i]);
}

static void clear(void *context)
{
	const struct journal_clear_arguments *arguments = context;
	int folder = open_folder(false);
	if (folder >= 0 && unlinkat(folder, file_name(arguments->run), 0) < 0 && errno != ENOENT)
		fail_errno("remove a journal", path_join(folder_path, file_name(arguments->run)));
}

void run_journal_clear(const struct journal_clear_arguments *arguments)
{
	bounded_must(DEADLINE, clear, (void *)arguments, "remove a journal", folder_path);
}
