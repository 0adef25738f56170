#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "mountinfo.h"
#include "namespace.h"
#include "path.h"
#include "procfs.h"

enum { DEADLINE = 10000 };

/* The source field of our mounts, by which they are known again. */
static const char source[] = "kubectl-csi";

struct covering {
	const struct cover_arguments *arguments;
	struct covered_record done;
};

static bool is_ours(const struct mount *mount)
{
	return mount && strcmp(mount->source, source) == 0 && strcmp(mount->fs_type, "tmpfs") == 0;
}

/* The mount whose root the directory is, NULL when it is an ordinary directory; counts the layers on it. */
static const struct mount *top_layer(int directory, uint64_t *layers)
{
	struct mount_table mounts = mountinfo_of_self();
	const struct mount *mount = mount_by_id(&mounts, mount_id_of_descriptor(directory));
	const char *path = path_of_descriptor(directory);
	if (!mount || !path || strcmp(mount->mount_point, path) != 0) {
		*layers = 0;
		return NULL;
	}
	mount_on(&mounts, path, layers);
	return mount;
}

static void put_on(int directory, const char *path)
{
	static const char options[] = "mode=0750,size=1m";
	const char *target = memory_format("%s/self/fd/%d", procfs_base, directory);
	if (mount(source, target, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0)
		fail_errno("mount a tmpfs", path);
}

static void take_off(int directory, const char *path)
{
	if (umount2(memory_format("%s/self/fd/%d", procfs_base, directory), MNT_DETACH) < 0)
		fail_errno("unmount", path);
}

static void cover(void *context)
{
	struct covering *covering = context;
	const struct cover_arguments *arguments = covering->arguments;
	int root = namespace_enter(arguments->at, arguments->start_ticks);
	const char *path = path_join(arguments->root, "plugins_registry");
	int directory = path_open(root, path, PATH_FOLLOW);
	if (directory < 0)
		fail_errno("open plugins_registry", path);
	const struct mount *top = top_layer(directory, &covering->done.layers);
	if (arguments->undo && !is_ours(top))
		fail(ERROR_CODE_NOT_OURS, top ? "the mount on it is not ours" : "nothing is mounted on it", path);
	if (!arguments->undo && is_ours(top))
		fail(ERROR_CODE_ALREADY, "our tmpfs is on it", path);
	if (arguments->undo)
		take_off(directory, path);
	else
		put_on(directory, path);
	close(directory);
	directory = path_open(root, path, PATH_FOLLOW);
	covering->done.path = path;
	covering->done.covered = is_ours(top_layer(directory, &covering->done.layers));
	if (covering->done.covered == arguments->undo)
		fail(ERROR_CODE_CHANGED, "somebody else mounts there at the same time", path);
}

void run_cover(const struct cover_arguments *arguments)
{
	struct covering *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	bounded_must(DEADLINE, cover, shared, "cover plugins_registry", arguments->root);
	emit_covered(&shared->done);
}
