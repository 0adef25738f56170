#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bounded.h"
#include "failure.h"
#include "maps.h"
#include "memory.h"
#include "path.h"
#include "procfs.h"

enum { DEADLINE = 30000, MAX_HOLDERS = 8192 };

struct search {
	const struct list *devices;
	struct holder_record *holders;
	size_t count;
	struct holder_counts_record counts;
	struct holder_record *found; /* of the process being looked at, one per device */
};

/* What the kernel already knows of a file: with these flags statx asks no server, dead or hung. */
static const char *device_of(const char *path)
{
	struct statx statx_;
	int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
	if (statx(AT_FDCWD, path, flags, STATX_TYPE, &statx_) < 0)
		return NULL;
	return memory_format("%u:%u", statx_.stx_dev_major, statx_.stx_dev_minor);
}

static struct holder_record *holder_of(struct search *search, const char *device)
{
	for (size_t i = 0; device && i < search->devices->count; i++)
		if (strcmp(search->devices->items[i], device) == 0)
			return &search->found[i];
	return NULL;
}

static struct holder_record *holder_through(struct search *search, pid_t pid, const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return holder_of(search, device_of(path));
}

static bool look_at_descriptors(struct search *search, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *directory = opendir(path);
	if (!directory)
		return false;
	for (struct dirent *entry; (entry = readdir(directory));) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "fd/%.20s", entry->d_name);
		struct holder_record *holder = holder_through(search, pid, path);
		if (holder)
			holder->descriptors++;
	}
	closedir(directory);
	return true;
}

static void count_mapping(const char *device, void *context)
{
	struct holder_record *holder = holder_of(context, device);
	if (holder)
		holder->mappings++;
}

static bool look_at(struct search *search, pid_t pid)
{
	struct holder_record *holder;
	const char *maps = procfs_read_of(pid, "maps", NULL);
	if (!look_at_descriptors(search, pid) || !maps)
		return false;
	if ((holder = holder_through(search, pid, "cwd")))
		holder->working_directory = true;
	if ((holder = holder_through(search, pid, "root")))
		holder->root_directory = true;
	parse_maps(maps, count_mapping, search);
	return true;
}

static void keep(struct search *search, const struct process_stat *stat)
{
	const char *cgroup = procfs_read_of(stat->pid, "cgroup", NULL);
	for (size_t i = 0; i < search->devices->count; i++) {
		struct holder_record holder = search->found[i];
		if (!holder.descriptors && !holder.mappings && !holder.working_directory && !holder.root_directory)
			continue;
		if (search->count == MAX_HOLDERS)
			fail(ERROR_CODE_TOO_LARGE, "more processes than are listed", NULL);
		holder.device = search->devices->items[i];
		holder.pid = (uint64_t)stat->pid;
		holder.start_ticks = stat->start_ticks;
		holder.comm = stat->comm;
		holder.cgroup = cgroup ? parse_lines(cgroup) : (struct list){0};
		search->holders[search->count++] = holder;
	}
}

static void consider(pid_t pid, void *context)
{
	struct search *search = context;
	struct process_stat stat;
	if (!procfs_stat(pid, &stat) || stat.state == 'Z')
		return;
	search->counts.processes++;
	memset(search->found, 0, search->devices->count * sizeof(*search->found));
	size_t mark = memory_mark();
	bool seen = look_at(search, pid);
	int number = errno;
	memory_rewind(mark);
	if (seen)
		keep(search, &stat);
	else
		search->counts.unreadable += number != ENOENT && number != ESRCH;
}

static void find(void *context)
{
	procfs_each(consider, context);
}

void run_holders(const struct holders_arguments *arguments)
{
	struct search *shared = memory_take(sizeof(*shared));
	shared->devices = &arguments->device;
	shared->found = memory_take(arguments->device.count * sizeof(*shared->found));
	shared->holders = memory_take(MAX_HOLDERS * sizeof(*shared->holders));
	bounded_must(DEADLINE, find, shared, "look into processes", "/proc");
	for (size_t i = 0; i < shared->count; i++)
		emit_holder(&shared->holders[i]);
	emit_holder_counts(&shared->counts);
}
