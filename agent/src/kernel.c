#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crash.h"

/* include/uapi/linux/mount.h, fcntl.h */
enum {
	TREE_CLONE = 0x1,
	TREE_RECURSIVE = 0x8000,
	MOVE_FROM_EMPTY_PATH = 0x4,
	MOVE_TO_EMPTY_PATH = 0x40,
	MOVE_BENEATH = 0x200,
	CONFIGURE_CREATE = 6,
	CLOSE_ON_EXEC = 0x1, /* of fsopen and fsmount */
};

static long lacking(void)
{
	errno = ENOSYS;
	return -1;
}

int kernel_clone_tree(int descriptor, bool recursive)
{
	unsigned flags = TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | (recursive ? TREE_RECURSIVE : 0);
	return (int)(kernel_lacks("open_tree") ? lacking() : syscall(SYS_open_tree, descriptor, "", flags));
}

int kernel_move_mount(int tree, int onto, bool beneath)
{
	unsigned flags = MOVE_FROM_EMPTY_PATH | MOVE_TO_EMPTY_PATH | (beneath ? MOVE_BENEATH : 0);
	return (int)syscall(SYS_move_mount, tree, "", onto, "", flags);
}

int kernel_set_attributes(int tree, bool recursive, const struct kernel_attributes *attributes)
{
	unsigned flags = AT_EMPTY_PATH | (recursive ? TREE_RECURSIVE : 0);
	return (int)(kernel_lacks("mount_setattr") ? lacking()
		: syscall(SYS_mount_setattr, tree, "", flags, attributes, sizeof(*attributes)));
}

int kernel_mount_detached(const char *fs_type)
{
	int context = (int)syscall(SYS_fsopen, fs_type, CLOSE_ON_EXEC);
	if (context < 0)
		return -1;
	bool made = syscall(SYS_fsconfig, context, CONFIGURE_CREATE, NULL, NULL, 0) == 0;
	int mount = made ? (int)syscall(SYS_fsmount, context, CLOSE_ON_EXEC, 0) : -1;
	int number = errno;
	close(context);
	errno = number;
	return mount;
}
