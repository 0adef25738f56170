#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernel.h"
#include "path.h"

static void close_keeping_errno(int descriptor)
{
	int number = errno;
	if (descriptor >= 0)
		close(descriptor);
	errno = number;
}

static int open_for_flags(int directory)
{
	return path_reopen(directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
}

int guard_is_on(int directory)
{
	int flags = 0;
	int opened = open_for_flags(directory);
	int result = opened < 0 ? -1 : ioctl(opened, FS_IOC_GETFLAGS, &flags);
	close_keeping_errno(opened);
	return result < 0 ? -1 : (flags & FS_IMMUTABLE_FL) != 0;
}

bool guard_set(int directory, bool on, bool *changed)
{
	int flags = 0;
	int opened = open_for_flags(directory);
	bool read = opened >= 0 && ioctl(opened, FS_IOC_GETFLAGS, &flags) == 0;
	int wanted = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
	bool done = read && (wanted == flags || ioctl(opened, FS_IOC_SETFLAGS, &wanted) == 0);
	close_keeping_errno(opened);
	if (changed)
		*changed = done && wanted != flags;
	return done;
}

int guard_reveal(int parent, const char *name)
{
	int copy = kernel_clone_tree(parent, false);
	int directory = copy < 0 ? -1 : openat(copy, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
	close_keeping_errno(copy);
	return directory;
}
