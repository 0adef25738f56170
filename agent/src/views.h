#ifndef VIEWS_H
#define VIEWS_H

#include "mountinfo.h"

/* A mount namespace, as a process in it sees it. */
struct view {
	struct namespace_record namespace;
	bool whole; /* its process sees it from the top */
	struct mount_table mounts;
};

struct view_list {
	struct view *items;
	size_t count;
	uint64_t processes;
	uint64_t unreadable; /* running processes whose namespace or whose mounts could not be read */
	bool truncated;
};

/*
 * All mount namespaces that processes are in, each once, the one of process at first. Its process is the
 * oldest of those that were not moved to another root directory, where there are any. Kernel threads are left out.
 */
struct view_list views_find(pid_t at);

#endif
