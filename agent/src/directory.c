#include "directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "path.h"

enum { DEADLINE = 2000, PERMISSIONS = 07777 };

struct look {
	int root;
	const struct mount_table *mounts;
	struct directory found;
};

/* NULL where the file system keeps no birth time, or the kernel does not tell (before 4.11). */
static const int64_t *birth_of(int descriptor)
{
	struct statx facts;
	if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &facts) < 0 || !(facts.stx_mask & STATX_BTIME))
		return NULL;
	return memory_int(facts.stx_btime.tv_sec);
}

static void describe(struct directory *found, const struct mount_table *mounts, int descriptor, const struct stat *stat)
{
	found->state = PRESENCE_PRESENT;
	found->real_path = path_of_descriptor(descriptor);
	found->inode = memory_uint(stat->st_ino);
	found->device = path_device(stat->st_dev);
	found->mode = memory_uint(stat->st_mode & PERMISSIONS);
	found->born = birth_of(descriptor);
	found->mount = mount_by_id(mounts, mount_id_of_descriptor(descriptor));
	uint64_t layers = 0;
	if (found->real_path)
		mount_on(mounts, found->real_path, &layers);
	found->layers = memory_uint(layers);
}

static void look(void *context)
{
	struct look *look = context;
	struct stat stat;
	int descriptor = path_open(look->root, look->found.path, PATH_FOLLOW);
	if (descriptor < 0 || fstat(descriptor, &stat) < 0) {
		look->found.state = errno == ENOENT ? PRESENCE_ABSENT : PRESENCE_UNREADABLE;
		look->found.errno_ = errno_name(errno);
	} else if (!S_ISDIR(stat.st_mode)) {
		look->found.state = PRESENCE_NOT_DIRECTORY;
		look->found.errno_ = errno_name(ENOTDIR);
	} else {
		describe(&look->found, look->mounts, descriptor, &stat);
	}
}

struct directory directory_describe(int root, const struct mount_table *mounts, const char *path)
{
	struct look *shared = memory_take(sizeof(*shared));
	*shared = (struct look){.root = root, .mounts = mounts, .found = {.path = path}};
	if (!bounded_run(DEADLINE, look, shared))
		return (struct directory){.path = path, .state = PRESENCE_HUNG};
	return shared->found;
}
