#include "views.h"

#include <errno.h>
#include <string.h>

#include "failure.h"
#include "memory.h"
#include "procfs.h"

enum { MAX_VIEWS = 4096 };

struct search {
	struct view_list list;
	size_t capacity;
	const uint64_t *host;
	const uint64_t *host_user;
};

static struct view *view_of(struct view_list *list, uint64_t inode)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].namespace.inode == inode)
			return &list->items[i];
	return NULL;
}

static struct view *add(struct search *search)
{
	struct view_list *list = &search->list;
	if (list->count == search->capacity) {
		size_t size = list->count * sizeof(struct view);
		search->capacity = 2 * search->capacity + 32;
		list->items = memory_grow(list->items, size, search->capacity * sizeof(struct view));
	}
	return &list->items[list->count++];
}

/* Whether a process sees its namespace from the top and not from below a chroot. */
static bool sees_all(pid_t pid)
{
	const char *root = procfs_link_of(pid, "root");
	return root && strcmp(root, "/") == 0;
}

static struct list cgroup_of(pid_t pid)
{
	const char *text = procfs_read_of(pid, "cgroup", NULL);
	return text ? parse_lines(text) : (struct list){0};
}

/*
 * By errno, and by whether the process is still there: one that ends has no namespace that could be missed. It answers
 * EINVAL (mounts_open_common in fs/proc_namespace.c), or EACCES when it is gone between look-up and reading.
 */
static bool is_unreadable(pid_t pid)
{
	struct process_stat stat;
	if (errno == ENOENT || errno == ESRCH || errno == EINVAL)
		return false;
	return procfs_stat(pid, &stat) && stat.state != 'Z';
}

/*
 * The oldest process that sees all is a container's main process. Its id need not be the lowest: ids are used
 * again from the bottom.
 */
static bool precedes(const struct process_stat *stat, bool whole, const struct view *view)
{
	if (view->namespace.is_host)
		return false;
	return whole != view->whole ? whole : stat->start_ticks < view->namespace.start_ticks;
}

static void describe(const struct search *search, struct view *view, const struct process_stat *stat, bool whole,
	uint64_t inode)
{
	view->whole = whole;
	view->namespace = (struct namespace_record){
		.inode = inode,
		.pid = (uint64_t)stat->pid,
		.start_ticks = stat->start_ticks,
		.comm = stat->comm,
		.cgroup = cgroup_of(stat->pid),
		.user_namespace = procfs_namespace_of(stat->pid, "ns/user"),
		.host_user_namespace = search->host_user,
		.is_host = search->host && inode == *search->host,
	};
}

/* Whether the process came to stand for its namespace. */
static bool represent(struct search *search, pid_t pid, uint64_t inode)
{
	struct process_stat stat;
	if (!procfs_stat(pid, &stat))
		return false;
	bool whole = sees_all(pid);
	struct view *view = view_of(&search->list, inode);
	if (!view && search->list.count == MAX_VIEWS)
		search->list.truncated = true;
	if (view ? !precedes(&stat, whole, view) : search->list.count == MAX_VIEWS)
		return false;
	describe(search, view ? view : add(search), &stat, whole, inode);
	return true;
}

static void consider(pid_t pid, void *context)
{
	struct search *search = context;
	struct view_list *list = &search->list;
	size_t mark = memory_mark();
	errno = 0;
	if (!procfs_link_of(pid, "exe") && errno == ENOENT)
		return; /* a kernel thread, a zombie, or gone */
	list->processes++;
	const uint64_t *inode = procfs_namespace_of(pid, "ns/mnt");
	list->unreadable += !inode && is_unreadable(pid);
	if (!inode || !represent(search, pid, *inode))
		memory_rewind(mark);
}

/* A process may end before its mounts are read; the namespace lives on only when another holds it. */
static void read_mounts(struct view_list *list)
{
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++) {
		struct view *view = &list->items[i];
		pid_t pid = (pid_t)view->namespace.pid;
		const char *text = procfs_read_of(pid, "mountinfo", NULL);
		list->unreadable += !text && is_unreadable(pid);
		if (!text)
			continue;
		view->mounts = parse_mountinfo(text);
		list->items[kept++] = *view;
	}
	list->count = kept;
}

struct view_list views_find(pid_t at)
{
	struct search search = {
		.host = procfs_namespace_of(at, "ns/mnt"),
		.host_user = procfs_namespace_of(1, "ns/user"),
	};
	if (!search.host)
		fail_errno("tell the mount namespace of a process", NULL);
	if (!represent(&search, at, *search.host))
		fail(ERROR_CODE_NO_PROCESS, memory_format("process %d is gone", at), NULL);
	procfs_each(consider, &search);
	read_mounts(&search.list);
	return search.list;
}
