#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"
#include "bounded.h"
#include "failure.h"
#include "kernel.h"
#include "layers.h"
#include "memory.h"
#include "namespace.h"
#include "path.h"
#include "survey.h"
#include "target.h"

enum { DEADLINE = 10000, ANSWER_DEADLINE = 500 };

struct rebuilding {
	const struct subpath_arguments *arguments;
	struct rebuilt_record done;
};

static int open_source(int root, const struct subpath_arguments *arguments)
{
	struct target volume = target_open(root, arguments->from);
	if (!volume.mount)
		fail(ERROR_CODE_NOT_FOUND, "nothing is mounted on it", arguments->from);
	struct answer answer = answer_within(ANSWER_DEADLINE, volume.descriptor, volume.mount);
	if (answer.state != MOUNT_STATE_ALIVE)
		fail_with(&(struct failure){.code = ERROR_CODE_UNSEEN, .number = answer.number,
			.what = "the repaired volume does not answer", .path = arguments->from});
	int source = path_open(volume.descriptor, arguments->sub, PATH_REFUSE);
	if (source < 0)
		fail_errno("open the subPath in the repaired volume", arguments->sub);
	if (mount_id_of_descriptor(source) != volume.mount->id)
		fail(ERROR_CODE_MOUNTED, "something is mounted inside the repaired volume there", arguments->sub);
	return source;
}

/* Kubelet makes what it binds onto with these modes (pkg/volume/util/subpath/subpath_linux.go). */
static void make_absent(struct target *target, bool directory)
{
	int made = directory ? mkdirat(target->parent, target->last, 0750)
		: openat(target->parent, target->last, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0640);
	if (made < 0)
		fail_errno("make the place for a bind", target->path);
	if (!directory)
		close(made);
	target_refresh(target);
}

static void pop_dead(struct rebuilding *rebuilding, struct target *target)
{
	const char *device = rebuilding->arguments->device;
	for (const struct mount *layer = target->mount; layer; layer = layer_below(&target->mounts, layer))
		if (!device || strcmp(layer->device, device) != 0)
			fail(ERROR_CODE_MOUNTED, memory_format("a mount of device %s is on it", layer->device),
				target->path);
	while (target->mount) {
		target_must_have_nothing_nested(target);
		answer_must_be_dead(ANSWER_DEADLINE, target->descriptor, target->mount);
		if (!target_detach(target))
			fail_errno("detach a dead mount", target->path);
		rebuilding->done.popped++;
	}
}

static void must_be_alike(const struct target *target, bool directory)
{
	struct stat stat;
	if (fstat(target->descriptor, &stat) < 0)
		fail_errno("look at the place for a bind", target->path);
	if (S_ISDIR(stat.st_mode) != directory)
		fail(ERROR_CODE_CHANGED, "one is a directory and the other is not", target->path);
}

static void rebuild(void *context)
{
	struct rebuilding *rebuilding = context;
	const struct subpath_arguments *arguments = rebuilding->arguments;
	struct stat source_stat;
	int root = namespace_enter(arguments->at, arguments->start_ticks);
	int source = open_source(root, arguments);
	int tree = kernel_clone_tree(source, false);
	if (fstat(source, &source_stat) < 0 || tree < 0)
		fail_errno("copy the repaired mount", arguments->from);
	struct target target = target_open_within(root, arguments->root, arguments->target);
	pop_dead(rebuilding, &target);
	if (target.descriptor < 0)
		make_absent(&target, S_ISDIR(source_stat.st_mode));
	must_be_alike(&target, S_ISDIR(source_stat.st_mode));
	if (kernel_move_mount(tree, target.descriptor, false) < 0)
		fail_errno("bind the subPath", arguments->target);
	target_refresh(&target);
	if (!target.mount)
		fail(ERROR_CODE_CHANGED, "somebody else unmounts there at the same time", arguments->target);
	rebuilding->done.target = arguments->target;
	rebuilding->done.device = target.mount->device;
	rebuilding->done.root = target.mount->root;
	rebuilding->done.mount_id = target.mount->id;
	rebuilding->done.layers = target.layers;
}

void run_subpath(const struct subpath_arguments *arguments)
{
	struct rebuilding *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	if (!is_kubelet_csi_path(arguments->target, arguments->root) || !strstr(arguments->target, "/volume-subpaths/"))
		fail(ERROR_CODE_USAGE, "not a subPath of kubelet's", arguments->target);
	bounded_must(DEADLINE, rebuild, shared, "rebuild a subPath", arguments->target);
	emit_rebuilt(&shared->done);
}
