#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "bounded.h"
#include "failure.h"
#include "folder.h"
#include "memory.h"
#include "namespace.h"
#include "target.h"

enum { DEADLINE = 10000, ANSWER_DEADLINE = 500 };

struct unmounting {
	const struct unmount_arguments *arguments;
	struct unmounted_record done;
};

static void unmount(void *context)
{
	struct unmounting *unmounting = context;
	const struct unmount_arguments *arguments = unmounting->arguments;
	struct target target =
		target_open(namespace_enter(arguments->at, arguments->start_ticks), arguments->path);
	const struct mount *mount = target.mount;
	if (!mount)
		fail(ERROR_CODE_NOT_FOUND, "nothing is mounted on it", arguments->path);
	if (mount->id != arguments->mount_id || strcmp(mount->device, arguments->device) != 0)
		fail(ERROR_CODE_CHANGED, "the topmost mount on it is another one now", arguments->path);
	target_must_have_nothing_nested(&target);
	if (!arguments->planned)
		answer_must_be_dead(ANSWER_DEADLINE, target.descriptor, mount);
	if (!target_detach(&target))
		fail_errno("unmount", arguments->path);
	unmounting->done = (struct unmounted_record){
		.path = arguments->path,
		.device = arguments->device,
		.mount_id = arguments->mount_id,
		.layers = target.layers,
	};
}

void run_unmount(const struct unmount_arguments *arguments)
{
	struct unmounting *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	bounded_must(DEADLINE, unmount, shared, "unmount", arguments->path);
	emit_unmounted(&shared->done);
}

struct emptying {
	const struct folder *folder;
	const struct mount_table *mounts;
};

/* Where something is mounted, or a file lies, rmdir fails and so does that of every directory above it. */
static bool remove_below(const char *name, void *context)
{
	const struct emptying *outer = context;
	struct folder entered = folder_enter(outer->folder, name, outer->mounts);
	struct emptying inner = {&entered, outer->mounts};
	folder_each(&entered, remove_below, &inner);
	folder_leave(&entered);
	unlinkat(outer->folder->descriptor, name, AT_REMOVEDIR);
	return true;
}

static void empty(const struct target *target)
{
	struct folder folder = {target->descriptor, target->path};
	folder_each(&folder, remove_below, &(struct emptying){&folder, &target->mounts});
}

static void remove_empty(void *context)
{
	const struct remove_empty_arguments *arguments = context;
	struct target target =
		target_open(namespace_enter(arguments->at, arguments->start_ticks), arguments->path);
	if (target.mount)
		fail(ERROR_CODE_MOUNTED, "something is mounted on it", arguments->path);
	if (arguments->below && target.descriptor >= 0)
		empty(&target);
	if (unlinkat(target.parent, target.last, AT_REMOVEDIR) == 0)
		return;
	if (errno == ENOTEMPTY || errno == EEXIST)
		fail(ERROR_CODE_NOT_EMPTY, "it is not empty", arguments->path);
	fail_errno("remove a directory", arguments->path);
}

void run_remove_empty(const struct remove_empty_arguments *arguments)
{
	bounded_must(DEADLINE, remove_empty, (void *)arguments, "remove a directory", arguments->path);
	emit_removed(&(struct removed_record){.path = arguments->path});
}
