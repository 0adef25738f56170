#include "volumes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "folder.h"
#include "guard.h"
#include "memory.h"
#include "path.h"

enum { MAX_RECORDS = 4096, MAX_FILES = 20 };

static const char vol_data[] = "vol_data.json";

struct walk {
	int root;
	const char *path;
	const struct mount_table *mounts;
	struct volumes *found;
	const char *pod;
	struct folder folder; /* where the current names lie */
	const char *names[2]; /* of the folders entered below a pod's volume-subpaths, or of the driver */
};

/* Whether something is mounted there, told without touching it when something is. */
static enum mount_presence presence(const struct walk *walk, const struct folder *folder, const char *name,
	const char *path, const char **number)
{
	struct stat stat;
	*number = NULL;
	if (mount_on(walk->mounts, path, NULL))
		return MOUNT_PRESENCE_MOUNTED;
	if (fstatat(folder->descriptor, name, &stat, AT_SYMLINK_NOFOLLOW) == 0)
		return S_ISDIR(stat.st_mode) ? MOUNT_PRESENCE_BARE : MOUNT_PRESENCE_FILE;
	if (errno == ENOENT)
		return MOUNT_PRESENCE_ABSENT;
	*number = errno_name(errno);
	return MOUNT_PRESENCE_UNSEEN;
}

static const bool *is_guarded(const struct folder *bare)
{
	int on = bare->descriptor < 0 ? -1 : guard_is_on(bare->descriptor);
	return on < 0 ? NULL : memory_bool(on);
}

static bool take_name(const char *name, void *context)
{
	struct volume_record *volume = context;
	const char **names = (const char **)volume->files.items;
	volume->truncated = volume->files.count == MAX_FILES;
	if (!volume->truncated)
		names[volume->files.count++] = memory_copy(name);
	return !volume->truncated;
}

static bool is_full(struct walk *walk, size_t count)
{
	walk->found->truncated = walk->found->truncated || count == MAX_RECORDS;
	return count == MAX_RECORDS;
}

static bool visit_volume(const char *name, void *context)
{
	struct walk *walk = context;
	if (is_full(walk, walk->found->volume_count))
		return false;
	struct folder folder = folder_enter(&walk->folder, name, walk->mounts);
	struct volume_record *volume = &walk->found->volumes[walk->found->volume_count];
	if (folder.descriptor < 0)
		return true;
	*volume = (struct volume_record){.pod_uid = walk->pod, .spec_name = memory_copy(name)};
	volume->path = memory_format("%s/mount", folder.path);
	volume->vol_data = folder_read(&folder, vol_data);
	volume->mount = presence(walk, &folder, "mount", volume->path, &volume->errno_);
	if (volume->mount == MOUNT_PRESENCE_BARE) {
		struct folder bare = folder_enter(&folder, "mount", walk->mounts);
		volume->files.items = memory_take(MAX_FILES * sizeof(char *));
		volume->guarded = is_guarded(&bare);
		folder_each(&bare, take_name, volume);
		folder_leave(&bare);
	}
	folder_leave(&folder);
	walk->found->volume_count++;
	return true;
}

static bool visit_block(const char *name, void *context)
{
	struct walk *walk = context;
	if (is_full(walk, walk->found->block_count))
		return false;
	struct block_volume_record *block = &walk->found->blocks[walk->found->block_count++];
	*block = (struct block_volume_record){.pod_uid = walk->pod, .spec_name = memory_copy(name)};
	block->path = memory_format("%s/%s", walk->folder.path, name);
	block->mount = presence(walk, &walk->folder, name, block->path, &block->errno_);
	return true;
}

static bool visit_subpath(const char *name, void *context)
{
	struct walk *walk = context;
	if (is_full(walk, walk->found->subpath_count))
		return false;
	struct subpath_record *subpath = &walk->found->subpaths[walk->found->subpath_count++];
	*subpath = (struct subpath_record){.pod_uid = walk->pod, .volume = walk->names[0],
		.container = walk->names[1], .index = memory_copy(name)};
	subpath->path = memory_format("%s/%s", walk->folder.path, name);
	subpath->mount = presence(walk, &walk->folder, name, subpath->path, &subpath->errno_);
	return true;
}

/* Walks the names of a folder inside the current one. */
static bool walk_into(struct walk *walk, const char *name, bool (*visit)(const char *, void *))
{
	struct folder before = walk->folder;
	walk->folder = folder_enter(&before, name, walk->mounts);
	bool all = folder_each(&walk->folder, visit, walk);
	folder_leave(&walk->folder);
	walk->folder = before;
	return all || !walk->found->truncated;
}

static bool visit_subpath_container(const char *name, void *context)
{
	struct walk *walk = context;
	walk->names[1] = memory_copy(name);
	return walk_into(walk, name, visit_subpath);
}

static bool visit_subpath_volume(const char *name, void *context)
{
	struct walk *walk = context;
	walk->names[0] = memory_copy(name);
	return walk_into(walk, name, visit_subpath_container);
}

static bool walk_two_into(struct walk *walk, const char *outer, const char *inner, bool (*visit)(const char *, void *))
{
	struct folder before = walk->folder;
	walk->folder = folder_enter(&before, outer, walk->mounts);
	bool go_on = walk_into(walk, inner, visit);
	folder_leave(&walk->folder);
	walk->folder = before;
	return go_on;
}

static bool visit_pod(const char *name, void *context)
{
	struct walk *walk = context;
	struct folder before = walk->folder;
	walk->pod = memory_copy(name);
	walk->folder = folder_enter(&before, name, walk->mounts);
	bool go_on = walk_two_into(walk, "volumes", "kubernetes.io~csi", visit_volume) &&
		walk_two_into(walk, "volumeDevices", "kubernetes.io~csi", visit_block) &&
		walk_into(walk, "volume-subpaths", visit_subpath_volume);
	folder_leave(&walk->folder);
	walk->folder = before;
	return go_on;
}

static bool visit_staged(const char *name, void *context)
{
	struct walk *walk = context;
	if (is_full(walk, walk->found->staged_count))
		return false;
	struct folder folder = folder_enter(&walk->folder, name, walk->mounts);
	struct staged_record *staged = &walk->found->staged[walk->found->staged_count];
	if (folder.descriptor < 0)
		return true;
	*staged = (struct staged_record){.driver = walk->names[0], .hash = memory_copy(name)};
	staged->path = memory_format("%s/globalmount", folder.path);
	staged->vol_data = folder_read(&folder, vol_data);
	staged->mount = presence(walk, &folder, "globalmount", staged->path, &staged->errno_);
	if (staged->mount == MOUNT_PRESENCE_BARE) {
		struct folder bare = folder_enter(&folder, "globalmount", walk->mounts);
		staged->guarded = is_guarded(&bare);
		folder_leave(&bare);
	}
	folder_leave(&folder);
	walk->found->staged_count++;
	return true;
}

static bool visit_driver(const char *name, void *context)
{
	struct walk *walk = context;
	walk->names[0] = memory_copy(name);
	/* Raw block volumes have their own layout there (pkg/volume/csi/csi_block.go). */
	return strcmp(name, "volumeDevices") == 0 || walk_into(walk, name, visit_staged);
}

static void walk_all(void *context)
{
	struct walk *walk = context;
	const struct folder top = {path_open(walk->root, walk->path, PATH_REFUSE), walk->path};
	if (top.descriptor < 0)
		fail_errno("open kubelet's root", walk->path);
	walk->folder = top;
	walk_into(walk, "pods", visit_pod);
	struct folder plugins = folder_enter(&top, "plugins", walk->mounts);
	walk->folder = plugins;
	walk_two_into(walk, "kubernetes.io", "csi", visit_driver);
	folder_leave(&plugins);
}

struct volumes *volumes_read(int root, const char *path, const struct mount_table *mounts, int milliseconds)
{
	struct volumes *found = memory_take(sizeof(*found));
	struct walk *walk = memory_take(sizeof(*walk));
	found->volumes = memory_take(MAX_RECORDS * sizeof(*found->volumes));
	found->staged = memory_take(MAX_RECORDS * sizeof(*found->staged));
	found->subpaths = memory_take(MAX_RECORDS * sizeof(*found->subpaths));
	found->blocks = memory_take(MAX_RECORDS * sizeof(*found->blocks));
	*walk = (struct walk){.root = root, .path = path, .mounts = mounts, .found = found};
	if (!bounded_run(milliseconds, walk_all, walk))
		found->truncated = true;
	return found;
}
