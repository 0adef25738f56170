#include "kubelet.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "procfs.h"

static bool contains(const struct list *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static struct list command_line_of(pid_t pid)
{
	size_t length = 0;
	const char *text = procfs_read_of(pid, "cmdline", &length);
	return text ? parse_command_line(text, length) : (struct list){0};
}

static struct list cgroup_of(pid_t pid)
{
	const char *text = procfs_read_of(pid, "cgroup", NULL);
	return text ? parse_lines(text) : (struct list){0};
}

/* Seconds since 1970 at which the machine started: starttime in /proc/PID/stat counts from there. */
static int64_t boot_time(void)
{
	const char *text = procfs_read("/proc/stat", NULL);
	uint64_t seconds = 0;
	return text && parse_keyed_number(text, "btime", &seconds) ? (int64_t)seconds : 0;
}

int64_t kubelet_started_at(uint64_t start_ticks)
{
	return boot_time() + (int64_t)(start_ticks / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void describe(struct process_record *process, const struct process_stat *stat)
{
	pid_t pid = stat->pid;
	struct process_stat parent;
	process->pid = (uint64_t)pid;
	process->ppid = (uint64_t)stat->ppid;
	process->parent_comm = procfs_stat(stat->ppid, &parent) ? parent.comm : NULL;
	process->parent_argv = command_line_of(stat->ppid);
	process->comm = stat->comm;
	process->exe = procfs_link_of(pid, "exe");
	process->cgroup = cgroup_of(pid);
	process->start_ticks = stat->start_ticks;
	process->started_at = kubelet_started_at(stat->start_ticks);
	process->mount_namespace = procfs_namespace_of(pid, "ns/mnt");
	process->host_mount_namespace = procfs_namespace_of(1, "ns/mnt");
}

struct search {
	const struct list *names;
	struct kubelet_list found;
	size_t capacity;
};

static bool matches(const struct list *names, pid_t pid)
{
	struct process_stat stat;
	if (!procfs_stat(pid, &stat) || stat.state == 'Z')
		return false;
	struct list argv = command_line_of(pid);
	return contains(names, stat.comm) || (argv.count > 0 && contains(names, base_name(argv.items[0])));
}

static void append(struct search *search, const struct process_record *process)
{
	struct kubelet_list *found = &search->found;
	if (found->count == search->capacity) {
		size_t size = found->count * sizeof(*process);
		found->items = memory_grow(found->items, size, 2 * size + 8 * sizeof(*process));
		search->capacity = 2 * search->capacity + 8;
	}
	found->items[found->count++] = *process;
}

static void consider(pid_t pid, void *context)
{
	struct search *search = context;
	struct process_stat stat;
	struct process_record process = {0};
	size_t mark = memory_mark();
	bool matching = matches(search->names, pid);
	memory_rewind(mark);
	if (!matching || !procfs_stat(pid, &stat) || !procfs_uid(pid, &process.uid))
		return;
	process.argv = command_line_of(pid);
	describe(&process, &stat);
	append(search, &process);
}

struct kubelet_list kubelet_find(const struct list *names)
{
	struct search search = {.names = names};
	procfs_each(consider, &search);
	return search.found;
}

static const char *after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);
	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

const char *kubelet_root_flag(const struct list *argv)
{
	const char *root = NULL;
	for (size_t i = 1; i < argv->count; i++) {
		const char *word = argv->items[i];
		const char *next = i + 1 < argv->count ? argv->items[i + 1] : NULL;
		const char *value = after(word, "--root-dir=");
		if (!value && next && strcmp(word, "--root-dir") == 0)
			value = next;
		if (!value)
			value = after(word, "--kubelet-arg=root-dir=");
		if (!value && next && strcmp(word, "--kubelet-arg") == 0)
			value = after(next, "root-dir=");
		root = value ? value : root;
	}
	return root;
}
