#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "namespace.h"
#include "path.h"
#include "procfs.h"
#include "target.h"

/* Kubelet's masks (pkg/volume/volume_linux.go). */
enum { READ_WRITE = 0660, READ_ONLY = 0440, EXECUTE = 0110, MAX_DEPTH = 128, MAX_FILES = 10000000 };

struct owning {
	const struct own_arguments *arguments;
	int root; /* of the volume */
	uint64_t mount; /* nothing outside it is touched */
	struct owned_record done;
};

static void note_failure(struct owning *owning)
{
	if (owning->done.failed++ == 0)
		owning->done.errno_ = errno_name(errno);
}

/*
 * What kubelet's changeFilePermission does; a link's own mode means nothing. Through a descriptor, so that a link
 * put in its place meanwhile leads nowhere.
 */
static void change(struct owning *owning, int descriptor, const struct stat *stat)
{
	const struct own_arguments *arguments = owning->arguments;
	mode_t mask = arguments->read_only ? READ_ONLY : READ_WRITE;
	if (S_ISDIR(stat->st_mode))
		mask |= S_ISGID | EXECUTE;
	mode_t mode = (stat->st_mode & 07777) | mask;
	/* Changing the group may take the set-ID bits away: the mode comes after it. */
	char path[64];
	snprintf(path, sizeof(path), "%s/self/fd/%d", procfs_base, descriptor);
	bool regroup = stat->st_gid != (gid_t)arguments->gid;
	bool remode = !S_ISLNK(stat->st_mode) && (regroup || mode != (stat->st_mode & 07777));
	owning->done.visited++;
	if ((regroup && fchownat(descriptor, "", (uid_t)-1, (gid_t)arguments->gid, AT_EMPTY_PATH) < 0) ||
	    (remode && chmod(path, mode) < 0))
		note_failure(owning);
	else
		owning->done.changed += regroup || remode;
}

static void walk(struct owning *owning, int directory, int depth);

/* A directory comes after what is in it, so that an interrupted run is seen by the root's state. */
static void visit(struct owning *owning, int directory, const char *name, int depth)
{
	struct stat stat;
	int opened = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (opened < 0 || fstat(opened, &stat) < 0) {
		note_failure(owning);
	} else if (mount_id_of_descriptor(opened) == owning->mount) {
		if (S_ISDIR(stat.st_mode))
			walk(owning, opened, depth + 1);
		change(owning, opened, &stat);
	}
	if (opened >= 0)
		close(opened);
}

static void walk(struct owning *owning, int directory, int depth)
{
	int opened = depth > MAX_DEPTH ? -1 : path_reopen(directory, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
	DIR *stream = opened < 0 ? NULL : fdopendir(opened);
	if (!stream) {
		errno = depth > MAX_DEPTH ? ELOOP : errno;
		note_failure(owning);
		return;
	}
	for (struct dirent *entry; owning->done.visited < MAX_FILES && (entry = readdir(stream));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			visit(owning, opened, entry->d_name, depth);
	closedir(stream);
}

/* Kubelet's requiresPermissionChange. */
static bool matches(const struct own_arguments *arguments, const struct stat *root)
{
	mode_t needed = (arguments->read_only ? READ_ONLY : READ_WRITE) | EXECUTE | S_ISGID;
	return root->st_gid == (gid_t)arguments->gid && (root->st_mode & needed) == needed;
}

static void own(void *context)
{
	struct owning *owning = context;
	const struct own_arguments *arguments = owning->arguments;
	struct stat stat;
	struct target target =
		target_open(namespace_enter(arguments->at, arguments->start_ticks), arguments->path);
	if (!target.mount)
		fail(ERROR_CODE_NOT_FOUND, "nothing is mounted on it", arguments->path);
	if (fstat(target.descriptor, &stat) < 0)
		fail_errno("look at the volume", arguments->path);
	owning->mount = target.mount->id;
	owning->done.skipped = arguments->on_root_mismatch && matches(arguments, &stat);
	if (!owning->done.skipped) {
		if (S_ISDIR(stat.st_mode))
			walk(owning, target.descriptor, 0);
		change(owning, target.descriptor, &stat);
	}
	owning->done.complete = owning->done.failed == 0 && owning->done.visited < MAX_FILES;
}

void run_own(const struct own_arguments *arguments)
{
	struct owning *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	shared->done.path = arguments->path;
	bounded_run((int)arguments->deadline, own, shared);
	emit_owned(&shared->done);
}
