#include "sink.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "failure.h"
#include "memory.h"
#include "procfs.h"

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool stat_descriptor(pid_t pid, unsigned descriptor, struct stat *facts)
{
	return stat(memory_format("%s/%d/fd/%u", procfs_base, pid, descriptor), facts) == 0;
}

static bool is_open_for_writing(pid_t pid, unsigned descriptor)
{
	static const char key[] = "flags:";
	const char *text = procfs_read_of(pid, memory_format("fdinfo/%u", descriptor), NULL);
	const char *flags = text ? strstr(text, key) : NULL;
	return flags && (strtoul(flags + strlen(key), NULL, 8) & O_ACCMODE) != O_RDONLY;
}

struct search {
	const char *pipe;
	pid_t writer;
	pid_t reader;
	struct sink sink;
	struct stat facts;
};

/*
 * The file that was written last is the log. Loggers keep lock files too, which are empty; what they complain of
 * on their own standard error is not the log.
 */
static void consider_file(struct search *search, pid_t pid, unsigned descriptor)
{
	struct stat facts;
	if (!is_open_for_writing(pid, descriptor) || !stat_descriptor(pid, descriptor, &facts) ||
	    !S_ISREG(facts.st_mode) || facts.st_size == 0)
		return;
	if (search->sink.holder && facts.st_mtime < search->facts.st_mtime)
		return;
	search->facts = facts;
	search->sink = (struct sink){.source = LOG_SOURCE_PIPE, .holder = pid, .descriptor = descriptor,
		.path = procfs_link_of(pid, memory_format("fd/%u", descriptor))};
}

static void consider_files_of(struct search *search, pid_t pid)
{
	DIR *directory = opendir(memory_format("%s/%d/fd", procfs_base, pid));
	if (!directory)
		return;
	for (struct dirent *entry; (entry = readdir(directory));)
		if (isdigit((unsigned char)entry->d_name[0]) && strcmp(entry->d_name, "2") != 0)
			consider_file(search, pid, (unsigned)strtoul(entry->d_name, NULL, 10));
	closedir(directory);
}

static void consider_process(pid_t pid, void *context)
{
	struct search *search = context;
	size_t mark = memory_mark();
	const char *input = pid == search->writer ? NULL : procfs_link_of(pid, "fd/0");
	bool reads = input && strcmp(input, search->pipe) == 0;
	memory_rewind(mark);
	if (!reads)
		return;
	search->reader = pid;
	consider_files_of(search, pid);
}

static struct sink beyond_pipe(pid_t pid, const char *pipe)
{
	struct search search = {.pipe = pipe, .writer = pid};
	procfs_each(consider_process, &search);
	if (!search.reader)
		fail(ERROR_CODE_NOT_FOUND, "no process has the pipe of kubelet's standard error as its standard input", pipe);
	if (!search.sink.holder)
		fail(ERROR_CODE_NOT_FOUND, memory_format("process %d reads kubelet's standard error and writes no file",
			search.reader), pipe);
	return search.sink;
}

struct sink sink_of(pid_t pid)
{
	struct stat facts;
	const char *link = procfs_link_of(pid, "fd/2");
	if (!link && (errno == EACCES || errno == EPERM))
		fail_with(&(struct failure){.code = ERROR_CODE_NO_ACCESS, .number = errno,
			.what = "read where kubelet's standard error goes: needs CAP_SYS_PTRACE"});
	if (!link)
		fail(ERROR_CODE_NOT_FOUND, "kubelet has no standard error", NULL);
	if (begins_with(link, "socket:["))
		return (struct sink){.source = LOG_SOURCE_JOURNAL};
	if (begins_with(link, "pipe:["))
		return beyond_pipe(pid, link);
	if (!stat_descriptor(pid, 2, &facts) || !S_ISREG(facts.st_mode))
		fail(ERROR_CODE_NOT_FOUND, "kubelet's standard error goes to no log", link);
	return (struct sink){.source = LOG_SOURCE_FILE, .holder = pid, .descriptor = 2, .path = link};
}
