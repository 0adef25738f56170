#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "failure.h"
#include "memory.h"
#include "procfs.h"

enum { MAX_DEPTH = 64, MAX_LINKS = 40, MAX_PATH = 4096 };

/* The directories from the root to where we are, so that ".." can never climb out. */
struct walk {
	int stack[MAX_DEPTH];
	int depth;
	int links;
	char rest[2 * MAX_PATH];
};

static void drop_to(struct walk *walk, int depth)
{
	while (walk->depth > depth)
		close(walk->stack[--walk->depth]);
}

/* Cuts the next component off the rest; false at its end. */
static bool next_component(struct walk *walk, char *component)
{
	size_t start = strspn(walk->rest, "/");
	size_t length = strcspn(walk->rest + start, "/");
	if (length == 0)
		return false;
	memcpy(component, walk->rest + start, length);
	component[length] = '\0';
	memmove(walk->rest, walk->rest + start + length, strlen(walk->rest + start + length) + 1);
	return true;
}

/* Puts the target of a symbolic link before the rest. */
static bool splice_link(struct walk *walk, const char *target, size_t length)
{
	size_t rest = strlen(walk->rest);
	if (++walk->links > MAX_LINKS || length + 1 + rest >= sizeof(walk->rest)) {
		errno = ELOOP;
		return false;
	}
	memmove(walk->rest + length + 1, walk->rest, rest + 1);
	memcpy(walk->rest, target, length);
	walk->rest[length] = '/';
	if (target[0] == '/')
		drop_to(walk, 1);
	return true;
}

static bool push(struct walk *walk, int descriptor)
{
	if (walk->depth == MAX_DEPTH) {
		close(descriptor);
		errno = ENAMETOOLONG;
		return false;
	}
	walk->stack[walk->depth++] = descriptor;
	return true;
}

static bool step(struct walk *walk, const char *component, enum path_links links)
{
	if (strcmp(component, ".") == 0)
		return true;
	if (strcmp(component, "..") == 0) {
		errno = EXDEV;
		if (links == PATH_REFUSE)
			return false;
		drop_to(walk, walk->depth > 1 ? walk->depth - 1 : 1);
		return true;
	}
	int next = openat(walk->stack[walk->depth - 1], component, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return false;
	/* Asking for a link's target, unlike stat, does not ask the file system of a directory, dead or hung. */
	char target[MAX_PATH];
	ssize_t length = readlinkat(next, "", target, sizeof(target) - 1);
	if (length < 0 && (errno == ENOENT || errno == EINVAL))
		return push(walk, next);
	if (length >= 0)
		errno = ELOOP;
	bool spliced = length >= 0 && links == PATH_FOLLOW && splice_link(walk, target, (size_t)length);
	int number = errno;
	close(next);
	errno = number;
	return spliced;
}

int path_open(int root, const char *path, enum path_links links)
{
	struct walk walk = {.depth = 0};
	char component[MAX_PATH];
	if (strlen(path) >= MAX_PATH) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(walk.rest, path);
	walk.stack[walk.depth++] = fcntl(root, F_DUPFD_CLOEXEC, 0);
	bool found = walk.stack[0] >= 0;
	while (found && next_component(&walk, component))
		found = step(&walk, component, links);
	int number = errno;
	int descriptor = found ? walk.stack[--walk.depth] : -1;
	drop_to(&walk, 0);
	errno = number;
	return descriptor;
}

int path_try_root_of(pid_t pid, uint64_t start_ticks)
{
	struct process_stat stat;
	int root = open(memory_format("/proc/%d/root", pid), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	if (start_ticks == 0 || (procfs_stat(pid, &stat) && stat.start_ticks == start_ticks))
		return root;
	close(root);
	errno = ESRCH;
	return -1;
}

int path_root_of(pid_t pid, uint64_t start_ticks)
{
	const char *path = memory_format("/proc/%d/root", pid);
	int root = path_try_root_of(pid, start_ticks);
	int number = errno;
	if (root >= 0)
		return root;
	procfs_must_be(pid, start_ticks);
	errno = number;
	if (number != EACCES && number != EPERM)
		fail_errno("reach the root directory of a process", path);
	fail_with(&(struct failure){.code = ERROR_CODE_NO_ACCESS, .number = number,
		.what = "reach the root directory of a process: needs CAP_SYS_PTRACE", .path = path});
}

int path_reopen(int descriptor, int flags)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/self/fd/%d", procfs_base, descriptor);
	return open(path, flags | O_CLOEXEC);
}

char *path_of_descriptor(int descriptor)
{
	char link[64], target[MAX_PATH];
	snprintf(link, sizeof(link), "%s/self/fd/%d", procfs_base, descriptor);
	ssize_t length = readlink(link, target, sizeof(target));
	return length < 0 ? NULL : memory_copy_bytes(target, (size_t)length);
}

char *path_join(const char *directory, const char *name)
{
	size_t length = strlen(directory);
	while (length > 0 && directory[length - 1] == '/')
		length--;
	return memory_format("%.*s/%s", (int)length, directory, name);
}

char *path_device(dev_t device)
{
	return memory_format("%u:%u", major(device), minor(device));
}
