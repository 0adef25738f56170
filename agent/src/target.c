#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "failure.h"
#include "layers.h"
#include "memory.h"
#include "path.h"
#include "procfs.h"

static void find(struct target *target)
{
	target->descriptor = path_open(target->parent, target->last, PATH_REFUSE);
	if (target->descriptor < 0 && errno != ENOENT)
		fail_errno("open", target->path);
	target->mounts = mountinfo_of_self();
	target->mount = NULL;
	target->layers = 0;
	uint64_t id = target->descriptor < 0 ? 0 : mount_id_of_descriptor(target->descriptor);
	if (id == 0 || id == mount_id_of_descriptor(target->parent))
		return;
	target->mount = mount_by_id(&target->mounts, id);
	if (!target->mount)
		fail(ERROR_CODE_CHANGED, "it is mounted or unmounted at the same time", target->path);
	target->layers = layer_count(&target->mounts, target->mount);
}

static struct target open_in(int directory, const char *relative, const char *path, enum path_links links)
{
	const char *slash = strrchr(relative, '/');
	struct target target = {.path = path, .last = slash ? slash + 1 : relative};
	const char *parent = slash ? memory_copy_bytes(relative, (size_t)(slash - relative)) : "";
	target.parent = path_open(directory, parent, links);
	if (target.parent < 0)
		fail_errno("open the directory of", path);
	find(&target);
	return target;
}

struct target target_open(int root, const char *path)
{
	return open_in(root, path, path, PATH_FOLLOW);
}

struct target target_open_within(int root, const char *trusted, const char *path)
{
	if (!path_is_within(path, trusted) || strcmp(path, trusted) == 0)
		fail(ERROR_CODE_USAGE, "the path is not below kubelet's root", path);
	int directory = path_open(root, trusted, PATH_FOLLOW);
	if (directory < 0)
		fail_errno("open kubelet's root", trusted);
	struct target target = open_in(directory, path + strlen(trusted) + 1, path, PATH_REFUSE);
	close(directory);
	return target;
}

void target_refresh(struct target *target)
{
	if (target->descriptor >= 0)
		close(target->descriptor);
	find(target);
}

bool detach_mount(int descriptor)
{
	return umount2(memory_format("%s/self/fd/%d", procfs_base, descriptor), MNT_DETACH) == 0;
}

bool target_detach(struct target *target)
{
	if (!detach_mount(target->descriptor))
		return false;
	target_refresh(target);
	return true;
}

void target_must_have_nothing_nested(const struct target *target)
{
	if (target->mount && layer_has_nested(&target->mounts, target->mount))
		fail(ERROR_CODE_MOUNTED, "something is mounted inside it", target->path);
}

void target_close(struct target *target)
{
	close(target->parent);
	if (target->descriptor >= 0)
		close(target->descriptor);
}
