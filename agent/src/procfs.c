#include "procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "memory.h"

const char *procfs_base = "/proc";

static const char inotify_link[] = "anon_inode:inotify";

char *procfs_read(const char *path, size_t *length)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return NULL;
	size_t size = 4096, used = 0;
	char *text = memory_take(size);
	ssize_t got;
	while ((got = read(file, text + used, size - used - 1)) > 0) {
		used += (size_t)got;
		if (size - used < 2048) {
			text = memory_grow(text, size, size * 2);
			size *= 2;
		}
	}
	int number = errno;
	close(file);
	errno = number;
	if (got < 0)
		return NULL;
	text = memory_grow(text, size, used + 1);
	text[used] = '\0';
	if (length)
		*length = used;
	return text;
}

char *procfs_read_of(pid_t pid, const char *name, size_t *length)
{
	return procfs_read(memory_format("%s/%d/%s", procfs_base, pid, name), length);
}

char *procfs_link_of(pid_t pid, const char *name)
{
	char target[4097];
	ssize_t length = readlink(memory_format("%s/%d/%s", procfs_base, pid, name), target, sizeof(target) - 1);
	return length < 0 ? NULL : memory_copy_bytes(target, (size_t)length);
}

const uint64_t *procfs_namespace_of(pid_t pid, const char *name)
{
	const char *link = procfs_link_of(pid, name);
	const char *bracket = link ? strchr(link, '[') : NULL;
	return bracket ? memory_uint(strtoull(bracket + 1, NULL, 10)) : NULL;
}

static const char *skip_fields(const char *text, int count)
{
	while (text && count-- > 0) {
		text = strchr(text, ' ');
		if (text)
			text++;
	}
	return text;
}

bool parse_stat(const char *text, struct process_stat *stat)
{
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');
	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	const char *ppid = skip_fields(close + 2, 1);
	const char *start = skip_fields(close + 2, 19); /* field 22 of proc(5); the state is field 3 */
	if (!ppid || !start)
		return false;
	*stat = (struct process_stat){
		.pid = (pid_t)strtol(text, NULL, 10),
		.ppid = (pid_t)strtol(ppid, NULL, 10),
		.state = close[2],
		.comm = memory_copy_bytes(open + 1, (size_t)(close - open - 1)),
		.start_ticks = strtoull(start, NULL, 10),
	};
	return true;
}

static struct list split(const char *text, size_t length, char separator)
{
	size_t count = 0;
	for (size_t i = 0; i < length; i++)
		count += text[i] == separator;
	const char **items = memory_take((count + 1) * sizeof(*items));
	struct list list = {.items = items};
	for (size_t start = 0; start < length;) {
		const char *end = memchr(text + start, separator, length - start);
		size_t size = end ? (size_t)(end - text) - start : length - start;
		items[list.count++] = memory_copy_bytes(text + start, size);
		start += size + 1;
	}
	return list;
}

struct list parse_command_line(const char *text, size_t length)
{
	return split(text, length, '\0');
}

struct list parse_lines(const char *text)
{
	return split(text, strlen(text), '\n');
}

/* What follows KEY and blanks at the start of a line, NULL without it. */
static const char *keyed_value(const char *text, const char *key)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, strlen(key)) == 0)
			return line + strlen(key) + strspn(line + strlen(key), " \t");
	}
	return NULL;
}

bool parse_keyed_number(const char *text, const char *key, uint64_t *value)
{
	const char *digits = keyed_value(text, key);
	if (!digits || !isdigit((unsigned char)*digits))
		return false;
	*value = strtoull(digits, NULL, 10);
	return true;
}

bool procfs_stat(pid_t pid, struct process_stat *stat)
{
	const char *text = procfs_read_of(pid, "stat", NULL);
	return text && parse_stat(text, stat);
}

bool procfs_uid(pid_t pid, uint64_t *uid)
{
	const char *text = procfs_read_of(pid, "status", NULL);
	const char *real = text ? keyed_value(text, "Uid:") : NULL;
	const char *effective = real ? strchr(real, '\t') : NULL; /* real, effective, saved, file system */
	if (!effective)
		return false;
	*uid = strtoull(effective, NULL, 10);
	return true;
}

void procfs_each(void (*visit)(pid_t pid, void *context), void *context)
{
	DIR *directory = opendir(procfs_base);
	if (!directory)
		fail_errno("list processes", "/proc");
	for (struct dirent *entry; (entry = readdir(directory));)
		if (isdigit((unsigned char)entry->d_name[0]))
			visit((pid_t)strtol(entry->d_name, NULL, 10), context);
	closedir(directory);
}

/*
 * Where an open descriptor leads; 0 when it was closed meanwhile, -1 with errno when it can't be read. Listing
 * the descriptors needs less than reading them.
 */
static int descriptor_is_inotify(pid_t pid, unsigned descriptor)
{
	char link[64], target[64];
	snprintf(link, sizeof(link), "%s/%d/fd/%u", procfs_base, pid, descriptor);
	ssize_t length = readlink(link, target, sizeof(target));
	if (length < 0)
		return errno == ENOENT ? 0 : -1;
	return (size_t)length == strlen(inotify_link) && memcmp(target, inotify_link, (size_t)length) == 0;
}

static bool visit_inotify(pid_t pid, unsigned descriptor, void (*visit)(unsigned, const char *, void *), void *context)
{
	int inotify = descriptor_is_inotify(pid, descriptor);
	if (inotify <= 0)
		return inotify == 0;
	const char *fdinfo = procfs_read_of(pid, memory_format("fdinfo/%u", descriptor), NULL);
	if (!fdinfo)
		return errno == ENOENT;
	visit(descriptor, fdinfo, context);
	return true;
}

bool procfs_each_inotify(pid_t pid, void (*visit)(unsigned, const char *, void *), void *context)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/%d/fd", procfs_base, pid);
	DIR *directory = opendir(path);
	bool readable = directory;
	for (struct dirent *entry; readable && (entry = readdir(directory));)
		if (isdigit((unsigned char)entry->d_name[0]))
			readable = visit_inotify(pid, (unsigned)strtoul(entry->d_name, NULL, 10), visit, context);
	int number = errno;
	if (directory)
		closedir(directory);
	errno = number;
	return readable;
}

void procfs_must_be(pid_t pid, uint64_t start_ticks)
{
	struct process_stat stat;
	if (!procfs_stat(pid, &stat) || stat.state == 'Z')
		fail(ERROR_CODE_NO_PROCESS, memory_format("process %d is gone", pid), NULL);
	if (start_ticks != 0 && stat.start_ticks != start_ticks)
		fail(ERROR_CODE_NO_PROCESS, memory_format("process %d is another one now", pid), NULL);
}
