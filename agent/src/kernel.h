#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * System calls of Linux 5.2 and later that the C library has no functions for, as open_tree(2), move_mount(2),
 * mount_setattr(2) and fsopen(2) describe them. All return -1 with errno; ENOSYS on an older kernel.
 */

struct kernel_attributes {
	uint64_t set;
	uint64_t clear;
	uint64_t propagation;
	uint64_t user_namespace;
};

/* include/uapi/linux/mount.h */
enum {
	KERNEL_READ_ONLY = 0x1,
	KERNEL_NOSUID = 0x2,
	KERNEL_NODEV = 0x4,
	KERNEL_NOEXEC = 0x8,
	KERNEL_ATIME = 0x70, /* the field of the three that follow */
	KERNEL_RELATIME = 0x0,
	KERNEL_NOATIME = 0x10,
	KERNEL_STRICTATIME = 0x20,
	KERNEL_NODIRATIME = 0x80,
	KERNEL_IDMAP = 0x100000,
	KERNEL_NOSYMFOLLOW = 0x200000,
};

/* A detached copy of the mount that an O_PATH descriptor lies on, from there down; with the mounts in it. */
int kernel_clone_tree(int descriptor, bool recursive);

/* Attaches a detached mount on top of what the other descriptor stands for, or beneath its topmost mount. */
int kernel_move_mount(int tree, int onto, bool beneath);

int kernel_set_attributes(int tree, bool recursive, const struct kernel_attributes *attributes);

/* A detached mount of a file system that needs no options. */
int kernel_mount_detached(const char *fs_type);

#endif
