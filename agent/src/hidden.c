#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "announce.h"
#include "bounded.h"
#include "crash.h"
#include "failure.h"
#include "memory.h"
#include "mountinfo.h"
#include "namespace.h"
#include "path.h"

enum { DEADLINE = 10000, CONNECT_DEADLINE = 500, MAX_LAYERS = 16 };

struct revealing {
	const struct announce_hidden_arguments *arguments;
	struct announced_record done;
};

static bool is_watched(const struct place *place, const struct announce_hidden_arguments *arguments)
{
	struct stat stat;
	struct mount_table mounts = mountinfo_of_self();
	const struct mount *mount = mount_by_id(&mounts, mount_id_of_descriptor(place->directory));
	return mount && fstat(place->directory, &stat) == 0 && stat.st_ino == arguments->inode &&
		strcmp(mount->device, arguments->device) == 0;
}

/* Takes a mount off if path is where it is mounted; in a private namespace only. */
static bool take_off(int root, const char *path)
{
	int directory = path_open(root, path, PATH_FOLLOW);
	int parent = directory < 0 ? -1 : path_open(root, path_join(path, ".."), PATH_FOLLOW);
	bool top = parent >= 0 && mount_id_of_descriptor(directory) != mount_id_of_descriptor(parent);
	if (top && umount2(memory_format("self/fd/%d", directory), MNT_DETACH) < 0)
		fail_errno("take a mount off in a private view", path);
	close(parent);
	close(directory);
	return top;
}

/*
 * Takes off what is mounted over the directory, layer by layer, until it is the one with the watch: in a
 * private copy of the namespace, where nobody else sees it. This also reaches a directory in the middle of
 * a stack, or one below a mount over kubelet's root.
 */
static struct place reveal(int root, struct revealing *revealing)
{
	const struct announce_hidden_arguments *arguments = revealing->arguments;
	const char *registry = path_join(arguments->root, "plugins_registry");
	for (;; revealing->done.layers++) {
		struct place place = place_find(root, arguments->root, arguments->name);
		if (is_watched(&place, arguments))
			return place;
		close(place.directory);
		const char *slash = strrchr(place.path, '/');
		const char *directory = memory_copy_bytes(place.path, (size_t)(slash - place.path));
		if (revealing->done.layers == MAX_LAYERS ||
		    !(take_off(root, directory) || take_off(root, registry) || take_off(root, arguments->root)))
			fail(ERROR_CODE_NO_LAYER, "no directory beneath the mounts is the one with the watch", place.path);
	}
}

/* What an interrupted run left: drivers put sockets there, nobody empty files that only root may read. */
static bool is_our_file(const struct stat *stat)
{
	return S_ISREG(stat->st_mode) && stat->st_size == 0 && (stat->st_mode & 07777) == 0600 && stat->st_uid == 0;
}

/*
 * Makes an empty file appear under the socket's name. Kubelet hears of it and looks at the visible path, where
 * the real socket is. The file leaves by a rename, which kubelet ignores; the removal it hears of is that of
 * a name with a dot, which it never held.
 */
static void announce_by_file(const struct place *place)
{
	const char *dot_name = memory_format(".%s.kubectl-csi", place->last);
	unlinkat(place->directory, dot_name, 0);
	if (!place_rename(place, place->last, dot_name)) {
		int flags = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
		int file = errno == ENOENT ? openat(place->directory, dot_name, flags, 0600) : -1;
		if (file < 0)
			fail_errno("make a file in the hidden directory", place->path);
		close(file);
	}
	bool appeared = place_rename(place, dot_name, place->last);
	int number = errno;
	crash_point("hidden-file");
	if (appeared && !place_rename(place, place->last, dot_name))
		fail_errno("rename the file in the hidden directory away", place->path);
	unlinkat(place->directory, dot_name, 0);
	errno = number;
	if (!appeared)
		fail_errno("rename a file in the hidden directory", place->path);
}

static void announce_hidden(void *context)
{
	struct revealing *revealing = context;
	const struct announce_hidden_arguments *arguments = revealing->arguments;
	int root = namespace_enter(arguments->at, arguments->start_ticks);
	struct place visible = place_find(root, arguments->root, arguments->name);
	place_must_not_be_hidden(&visible);
	struct stat socket = place_must_be_socket(&visible, visible.last);
	if (place_connect(&visible, CONNECT_DEADLINE) < 0)
		fail_errno("connect to the visible socket", visible.path);
	root = namespace_make_private(root);
	struct place hidden = reveal(root, revealing);
	struct stat stat;
	if (place_stat(&hidden, hidden.last, &stat) && !is_our_file(&stat))
		announce_by_rename(&hidden);
	else
		announce_by_file(&hidden);
	revealing->done.path = visible.path;
	revealing->done.inode = socket.st_ino;
	revealing->done.action = ANNOUNCEMENT_ANNOUNCED;
}

void run_announce_hidden(const struct announce_hidden_arguments *arguments)
{
	struct revealing *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	bounded_must(DEADLINE, announce_hidden, shared, "announce in the hidden directory", arguments->name);
	emit_announced(&shared->done);
}
