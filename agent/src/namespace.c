#include "namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "failure.h"
#include "memory.h"
#include "path.h"
#include "procfs.h"

/* The directory that had this path in the namespace before, looked up again from its root. */
static int root_at(const char *path)
{
	int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int root = top < 0 || !path ? -1 : path_open(top, path, PATH_FOLLOW);
	if (root < 0)
		fail_errno("reach the root directory in the mount namespace", path);
	close(top);
	return root;
}

int namespace_enter(pid_t pid, uint64_t start_ticks)
{
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int namespace = open(memory_format("/proc/%d/ns/mnt", pid), O_RDONLY | O_CLOEXEC);
	const char *path = path_of_descriptor(path_root_of(pid, start_ticks));
	if (proc < 0 || namespace < 0 || setns(namespace, CLONE_NEWNS) < 0)
		fail_errno("enter the mount namespace of a process", memory_format("/proc/%d/ns/mnt", pid));
	int root = root_at(path);
	if (fchdir(proc) < 0)
		fail_errno("go back to /proc", NULL);
	procfs_base = ".";
	return root;
}

int namespace_make_private(int root)
{
	const char *path = path_of_descriptor(root);
	if (unshare(CLONE_NEWNS) < 0)
		fail_errno("copy the mount namespace", NULL);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		fail_errno("make the copied mount namespace private", NULL);
	return root_at(path);
}
