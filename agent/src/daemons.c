#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "answer.h"
#include "bounded.h"
#include "failure.h"
#include "fusectl.h"
#include "memory.h"
#include "mountinfo.h"
#include "procfs.h"

enum { DEADLINE = 30000, MAX_DAEMONS = 8192, MISC_MAJOR = 10, FUSE_MINOR = 229 }; /* include/linux/miscdevice.h */

struct search {
	const uint64_t *host;
	struct daemon_record *daemons;
	size_t count;
	size_t first; /* of the process being looked at */
	bool truncated;
	struct daemon_counts_record counts;
};

/*
 * Whether a descriptor is /dev/fuse, whatever its name is there; with these flags statx asks no server. Listing the
 * descriptors needs less than looking at them: false with EACCES where that is not allowed.
 */
static bool is_fuse_device(const char *path)
{
	struct statx statx_;
	int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
	errno = 0;
	return statx(AT_FDCWD, path, flags, STATX_TYPE, &statx_) == 0 && S_ISCHR(statx_.stx_mode) &&
		statx_.stx_rdev_major == MISC_MAJOR && statx_.stx_rdev_minor == FUSE_MINOR;
}

/* fuse_dev_show_fdinfo (fs/fuse/dev.c); NULL on kernels without it, and for a descriptor that serves no mount. */
static const char *device_of(pid_t pid, const char *descriptor)
{
	uint64_t connection;
	const char *fdinfo = procfs_read_of(pid, memory_format("fdinfo/%s", descriptor), NULL);
	if (!fdinfo || !parse_keyed_number(fdinfo, "fuse_connection:", &connection))
		return NULL;
	return fusectl_device(connection);
}

static bool same(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) == 0 : one == other;
}

static void count_descriptor(struct search *search, const char *device)
{
	for (size_t i = search->first; i < search->count; i++) {
		if (same(search->daemons[i].device, device)) {
			search->daemons[i].descriptors++;
			return;
		}
	}
	if (search->count < MAX_DAEMONS)
		search->daemons[search->count++] = (struct daemon_record){.device = device, .descriptors = 1};
	else
		search->truncated = true;
}

static bool look_at_descriptors(struct search *search, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *directory = opendir(path);
	if (!directory)
		return false;
	bool readable = true;
	for (struct dirent *entry; (entry = readdir(directory));) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/fd/%.20s", pid, entry->d_name);
		if (is_fuse_device(path))
			count_descriptor(search, device_of(pid, entry->d_name));
		else if (errno == EACCES || errno == EPERM)
			readable = false;
	}
	closedir(directory);
	errno = readable ? 0 : EACCES;
	return readable;
}

/* Whether a word is a path, or ends in one after "=". */
static bool names(const char *word, const char *path)
{
	size_t length = strlen(word), size = strlen(path);
	while (length > 1 && word[length - 1] == '/')
		length--;
	if (length < size || strncmp(word + length - size, path, size) != 0)
		return false;
	return length == size || word[length - size - 1] == '=';
}

static bool list_names(const struct list *words, const char *path)
{
	for (size_t i = 0; i < words->count; i++)
		if (names(words->items[i], path))
			return true;
	return false;
}

/* The FUSE mounts of its own mount namespace on paths that its command line names. Nothing else of it is told. */
static struct list named_devices(pid_t pid)
{
	size_t length = 0;
	const char *text = procfs_read_of(pid, "cmdline", &length);
	const char *mounts = text ? procfs_read_of(pid, "mountinfo", NULL) : NULL;
	if (!mounts)
		return (struct list){0};
	struct list words = parse_command_line(text, length);
	struct mount_table table = parse_mountinfo(mounts);
	const char **items = memory_take((table.count + 1) * sizeof(*items));
	struct list found = {.items = items};
	for (size_t i = 0; i < table.count; i++)
		if (is_fuse(&table.mounts[i]) && list_names(&words, table.mounts[i].mount_point))
			items[found.count++] = table.mounts[i].device;
	return found;
}

static void describe(struct search *search, const struct process_stat *stat)
{
	const char *cgroup = procfs_read_of(stat->pid, "cgroup", NULL);
	struct list lines = cgroup ? parse_lines(cgroup) : (struct list){0};
	struct list named = named_devices(stat->pid);
	for (size_t i = search->first; i < search->count; i++) {
		struct daemon_record *daemon = &search->daemons[i];
		daemon->pid = (uint64_t)stat->pid;
		daemon->start_ticks = stat->start_ticks;
		daemon->ppid = (uint64_t)stat->ppid;
		daemon->comm = stat->comm;
		daemon->cgroup = lines;
		daemon->pid_namespace = procfs_namespace_of(stat->pid, "ns/pid");
		daemon->host_pid_namespace = search->host;
		daemon->mount_namespace = procfs_namespace_of(stat->pid, "ns/mnt");
		daemon->named = named;
	}
}

static void consider(pid_t pid, void *context)
{
	struct search *search = context;
	struct process_stat stat;
	size_t mark = memory_mark();
	if (!procfs_stat(pid, &stat) || stat.state == 'Z') {
		memory_rewind(mark);
		return;
	}
	search->counts.processes++;
	search->first = search->count;
	bool seen = look_at_descriptors(search, pid);
	if (!seen)
		search->counts.unreadable += errno != ENOENT && errno != ESRCH;
	if (search->count > search->first)
		describe(search, &stat);
	else
		memory_rewind(mark);
}

static void find(void *context)
{
	struct search *search = context;
	search->host = procfs_namespace_of(1, "ns/pid");
	procfs_each(consider, search);
}

void run_daemons(const struct daemons_arguments *arguments)
{
	(void)arguments;
	struct search *shared = memory_take(sizeof(*shared));
	shared->daemons = memory_take(MAX_DAEMONS * sizeof(*shared->daemons));
	bounded_must(DEADLINE, find, shared, "look into processes", "/proc");
	if (shared->truncated)
		fail(ERROR_CODE_TOO_LARGE, "more FUSE connections than are listed", NULL);
	for (size_t i = 0; i < shared->count; i++)
		emit_daemon(&shared->daemons[i]);
	emit_daemon_counts(&shared->counts);
}
