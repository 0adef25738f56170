#include "inotify.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "procfs.h"

enum { MAX_WATCH_RECORDS = 4096, MINOR_BITS = 20 };

static const char prefix[] = "inotify wd:";

static bool hexadecimal(const char **at, const char *key, uint64_t *value)
{
	size_t length = strlen(key);
	if (strncmp(*at, key, length) != 0 || !isxdigit((unsigned char)(*at)[length]))
		return false;
	char *end;
	*value = strtoull(*at + length, &end, 16);
	*at = end;
	return true;
}

bool parse_watch(const char *line, struct watch_record *watch)
{
	uint64_t device;
	if (!hexadecimal(&line, prefix, &watch->wd) || !hexadecimal(&line, " ino:", &watch->inode) ||
	    !hexadecimal(&line, " sdev:", &device) || !hexadecimal(&line, " mask:", &watch->mask))
		return false;
	watch->device = memory_format("%u:%u", (unsigned)(device >> MINOR_BITS),
		(unsigned)(device & ((1u << MINOR_BITS) - 1)));
	return true;
}

static void emit_watches_of_descriptor(unsigned descriptor, const char *fdinfo, void *context)
{
	struct watches_record *total = context;
	struct watch_record watch = {.pid = total->pid, .fd = descriptor};
	struct list lines = parse_lines(fdinfo);
	total->instances++;
	for (size_t i = 0; i < lines.count; i++) {
		if (!parse_watch(lines.items[i], &watch))
			continue;
		if (total->watches++ < MAX_WATCH_RECORDS)
			emit_watch(&watch);
	}
}

void inotify_watches(pid_t pid)
{
	struct watches_record total = {.pid = (uint64_t)pid};
	total.readable = procfs_each_inotify(pid, emit_watches_of_descriptor, &total);
	total.truncated = total.watches > MAX_WATCH_RECORDS;
	emit_watches(&total);
}

static const uint64_t *limit(const char *path)
{
	const char *text = procfs_read(path, NULL);
	return text && isdigit((unsigned char)*text) ? memory_uint(strtoull(text, NULL, 10)) : NULL;
}

void inotify_limits(void)
{
	struct limits_record limits = {
		.max_user_instances = limit("/proc/sys/fs/inotify/max_user_instances"),
		.max_user_watches = limit("/proc/sys/fs/inotify/max_user_watches"),
		.max_queued_events = limit("/proc/sys/fs/inotify/max_queued_events"),
	};
	emit_limits(&limits);
}

static void count_descriptor(unsigned descriptor, const char *fdinfo, void *context)
{
	(void)descriptor;
	struct usage_record *usage = context;
	usage->instances++;
	for (const char *at = fdinfo; (at = strstr(at, prefix)); at++)
		usage->watches++;
}

static void count_process(pid_t pid, void *context)
{
	struct usage_record *usage = context;
	size_t mark = memory_mark();
	uint64_t uid;
	bool theirs = procfs_uid(pid, &uid) && uid == usage->uid;
	if (theirs && procfs_each_inotify(pid, count_descriptor, usage))
		usage->processes++;
	else if (theirs && errno != ENOENT && errno != ESRCH)
		usage->unreadable++;
	memory_rewind(mark);
}

void inotify_usage(uint64_t uid)
{
	struct usage_record usage = {.uid = uid};
	procfs_each(count_process, &usage);
	emit_usage(&usage);
}
