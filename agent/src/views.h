#ifndef VIEWS_H
#define VIEWS_H

#include "mountinfo.h"

/* A mount namespace, as a process in it sees it. */
struct view {
	struct namespace_record namespace;
	struct mount_table mounts;
};

struct view_list {
	struct view *items;
	size_t count;
	uint64_t processes;
	uint64_t unreadable; /* processes whose namespace could not be told, or whose mounts could not be read */
	bool truncated;
};

/*
 * All mount namespaces that processes are in, each once, the one of process at first. Its process is one that
 * was not moved to another root directory, where there is one. Kernel threads are left out.
 */
struct view_list views_find(pid_t at);

#endif
