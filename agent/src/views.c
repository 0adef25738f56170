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

static void describe(struct search *search, struct view *view, pid_t pid, uint64_t inode)
{
	struct process_stat stat;
	if (!procfs_stat(pid, &stat))
		return;
	view->namespace = (struct namespace_record){
		.inode = inode,
		.pid = (uint64_t)pid,
		.start_ticks = stat.start_ticks,
		.comm = stat.comm,
		.cgroup = cgroup_of(pid),
		.user_namespace = procfs_namespace_of(pid, "ns/user"),
		.host_user_namespace = search->host_user,
		.is_host = search->host && inode == *search->host,
	};
}

static void consider(pid_t pid, void *context)
{
	struct search *search = context;
	struct view_list *list = &search->list;
	errno = 0;
	if (!procfs_link_of(pid, "exe") && errno == ENOENT)
		return; /* a kernel thread, a zombie, or gone */
	list->processes++;
	const uint64_t *inode = procfs_namespace_of(pid, "ns/mnt");
	if (!inode) {
		list->unreadable += errno != ENOENT && errno != ESRCH;
		return;
	}
	struct view *view = view_of(list, *inode);
	if (!view && list->count == MAX_VIEWS) {
		list->truncated = true;
		return;
	}
	if (!view)
		describe(search, add(search), pid, *inode);
	else if (!view->namespace.is_host && !sees_all((pid_t)view->namespace.pid) && sees_all(pid))
		describe(search, view, pid, *inode);
}

/* A process may end before its mounts are read; the namespace lives on only when another holds it. */
static void read_mounts(struct view_list *list)
{
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++) {
		struct view *view = &list->items[i];
		const char *text = procfs_read_of((pid_t)view->namespace.pid, "mountinfo", NULL);
		list->unreadable += !text;
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
	describe(&search, add(&search), at, *search.host);
	procfs_each(consider, &search);
	read_mounts(&search.list);
	return search.list;
}
