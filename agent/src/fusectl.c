#include "fusectl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"
#include "memory.h"
#include "path.h"

enum { MINOR_BITS = 20 }; /* include/linux/kdev_t.h */

/* fuse_ctl_add_conn names the directory by the kernel's own dev_t. */
static uint64_t connection_number(const char *device)
{
	char *colon;
	uint64_t major = strtoull(device, &colon, 10);
	return major << MINOR_BITS | strtoull(colon + 1, NULL, 10);
}

const char *fusectl_device(uint64_t connection)
{
	return memory_format("%llu:%llu", (unsigned long long)(connection >> MINOR_BITS),
		(unsigned long long)(connection & ((1u << MINOR_BITS) - 1)));
}

int fusectl_open(int root, const char *device, const char *name, int flags)
{
	char file[64], path[128];
	snprintf(file, sizeof(file), "%llu/%s", (unsigned long long)connection_number(device), name);
	snprintf(path, sizeof(path), "/sys/fs/fuse/connections/%s", file);
	int found = path_open(root, path, PATH_REFUSE);
	if (found >= 0) {
		int opened = path_reopen(found, flags);
		int number = errno;
		close(found);
		errno = number;
		return opened;
	}
	int own = kernel_mount_detached("fusectl");
	int opened = own < 0 ? -1 : openat(own, file, flags | O_CLOEXEC | O_NOFOLLOW);
	int number = errno;
	if (own >= 0)
		close(own);
	errno = number;
	return opened;
}

const uint64_t *fusectl_waiting(int root, const char *device)
{
	char text[32] = "";
	int file = fusectl_open(root, device, "waiting", O_RDONLY);
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
	if (file >= 0)
		close(file);
	return length > 0 ? memory_uint(strtoull(text, NULL, 10)) : NULL;
}
