#include "swap.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"
#include "bounded.h"
#include "failure.h"
#include "layers.h"
#include "memory.h"
#include "namespace.h"
#include "path.h"
#include "procfs.h"
#include "reading.h"
#include "shape.h"
#include "target.h"

enum { VERIFY_DEADLINE = 2000 };

static int open_of(pid_t pid, const char *name)
{
	const char *path = memory_format("%s/%d/%s", procfs_base, pid, name);
	int opened = open(path, O_RDONLY | O_CLOEXEC);
	if (opened < 0)
		fail_errno("open", path);
	return opened;
}

void swap_find_old(struct swapping *swapping)
{
	const struct swap_arguments *arguments = swapping->arguments;
	struct stat namespace;
	swapping->root = path_root_of(arguments->pid, arguments->start_ticks);
	swapping->namespace = open_of(arguments->pid, "ns/mnt");
	swapping->user_namespace = open_of(arguments->pid, "ns/user");
	swapping->before = mountinfo_of(arguments->pid);
	procfs_must_be(arguments->pid, arguments->start_ticks);
	if (fstat(swapping->namespace, &namespace) < 0 || namespace.st_ino != arguments->namespace)
		fail(ERROR_CODE_CHANGED, "the process is in another mount namespace now", arguments->target);
	swapping->old = mount_by_id(&swapping->before, arguments->mount_id);
	if (!swapping->old || strcmp(swapping->old->device, arguments->device) != 0 ||
	    strcmp(swapping->old->mount_point, arguments->target) != 0)
		fail(ERROR_CODE_CHANGED, "the mount is not there any more", arguments->target);
	if (!layer_is_visible(&swapping->before, swapping->old))
		fail(ERROR_CODE_CHANGED, "another mount covers it", arguments->target);
	swapping->done.layers_before = layer_count(&swapping->before, swapping->old);
}

/* What of the repaired mount the container must see: the same directory as before. */
static const char *offset_in(const struct swapping *swapping, const struct mount *fresh)
{
	const struct swap_arguments *arguments = swapping->arguments;
	const char *root = swapping->old->root;
	root = memory_copy_bytes(root, strlen(root) - layer_deleted_mark(root));
	if (arguments->sub || arguments->whole)
		return arguments->sub ? arguments->sub : "";
	if (strcmp(fresh->root, "/") == 0)
		return root + 1;
	if (!path_is_within(root, fresh->root))
		fail(ERROR_CODE_CHANGED, "the repaired mount shows another directory of its file system: give --sub",
			arguments->from);
	return root[strlen(fresh->root)] ? root + strlen(fresh->root) + 1 : "";
}

static struct target open_fresh(const struct swapping *swapping, int root)
{
	const struct swap_arguments *arguments = swapping->arguments;
	struct target fresh = target_open(root, arguments->from);
	if (!fresh.mount || strcmp(fresh.mount->device, arguments->from_device) != 0)
		fail(ERROR_CODE_CHANGED, "the repaired mount is not there", arguments->from);
	struct answer answer = answer_of(fresh.descriptor, fresh.mount);
	if (answer.state != MOUNT_STATE_ALIVE)
		fail_with(&(struct failure){.code = ERROR_CODE_UNSEEN, .number = answer.number,
			.what = "the repaired mount does not answer", .path = arguments->from});
	return fresh;
}

static int open_offset(int fresh, const char *offset, const char *path)
{
	int opened = path_open(fresh, offset, PATH_REFUSE);
	if (opened < 0)
		fail_errno("open the directory in the repaired mount", path);
	if (mount_id_of_descriptor(opened) != mount_id_of_descriptor(fresh))
		fail(ERROR_CODE_MOUNTED, "something is mounted on the directory in the repaired mount", path);
	return opened;
}

static const char *options_of(const struct swap_arguments *arguments, const struct mount *old)
{
	const char *text = arguments->options.count == 0 ? old->options : "";
	for (size_t i = 0; i < arguments->options.count; i++)
		text = memory_format("%s,%s", text, arguments->options.items[i]);
	return text;
}

void swap_prepare(struct swapping *swapping)
{
	const struct swap_arguments *arguments = swapping->arguments;
	int root = namespace_enter(arguments->at, 0);
	struct target fresh = open_fresh(swapping, root);
	const char *offset = offset_in(swapping, fresh.mount);
	int shown = open_offset(fresh.descriptor, offset, arguments->from);
	swapping->expected_root = *offset ? path_join(fresh.mount->root, offset) : fresh.mount->root;
	struct shape shape = {
		.options = options_of(arguments, swapping->old),
		.propagation = arguments->propagation == PROPAGATION_KEEP ? shape_propagation(swapping->old)
			: arguments->propagation,
		.user_namespace = swapping->user_namespace,
	};
	swapping->nested = nested_copy(&swapping->before, swapping->old, root, &fresh, swapping->user_namespace,
		arguments->lose_nested);
	swapping->tree = shape_copy(shown, &shape, arguments->from);
}

struct looking {
	const struct swapping *swapping;
	struct swapped_record found;
};

static void look(void *context)
{
	struct looking *looking = context;
	const struct swapping *swapping = looking->swapping;
	struct swapped_record *found = &looking->found;
	struct mount_table table = mountinfo_of(swapping->arguments->pid);
	int opened = path_open(swapping->root, swapping->arguments->target, PATH_REFUSE);
	if (opened < 0)
		fail_errno("open the target after the swap", swapping->arguments->target);
	const struct mount *mount = mount_by_id(&table, mount_id_of_descriptor(opened));
	if (!mount)
		fail(ERROR_CODE_CHANGED, "somebody else mounts there at the same time", swapping->arguments->target);
	/*
	 * Listing a living file system tells the kernel the sizes of its files (READDIRPLUS, fs/fuse/readdir.c): stale for
	 * containers that still change them through the other mount, when they come here within the attribute timeout.
	 */
	enum reading_depth depth = swapping->arguments->unlisted ? READING_OPENS : READING_CONTENT;
	int number = 0;
	found->read = reading_answers(VERIFY_DEADLINE, opened, depth, &number);
	found->read_errno = number ? errno_name(number) : NULL;
	found->device = mount->device;
	found->root = mount->root;
	found->mount_id = mount->id;
	found->layers_after = layer_count(&table, mount);
	found->shared = mount->shared;
	found->master = mount->master;
	found->options = mount->options;
}

/* Whether the container now sees what it should. */
static void verify(const struct swapping *swapping)
{
	const struct swapped_record *done = &swapping->done;
	const char *target = swapping->arguments->target;
	if (strcmp(done->device, swapping->arguments->from_device) != 0)
		fail(ERROR_CODE_CHANGED, "the container sees another file system", target);
	if (strcmp(done->root, swapping->expected_root) != 0)
		fail(ERROR_CODE_CHANGED, memory_format("the container sees the directory %s", done->root), target);
	uint64_t lower = done->layers_before - 1 - done->popped;
	uint64_t expected = lower + (done->mode == SWAP_MODE_TOP ? 2 : 1);
	if (done->layers_after != expected)
		fail(ERROR_CODE_CHANGED, memory_format("%u mounts are on the target, not %u",
			(unsigned)done->layers_after, (unsigned)expected), target);
}

static void describe_result(struct swapping *swapping)
{
	struct looking *looking = memory_take(sizeof(*looking));
	*looking = (struct looking){.swapping = swapping, .found = swapping->done};
	bounded_must(3 * VERIFY_DEADLINE, look, looking, "look at the target after the swap",
		swapping->arguments->target);
	swapping->done = looking->found;
	verify(swapping);
}

static void swap(void *context)
{
	struct swapping *swapping = context;
	swap_find_old(swapping);
	swap_prepare(swapping);
	swap_exchange(swapping);
	swapping->done.microseconds = (uint64_t)(swap_clock() - swapping->start);
}

void run_swap(const struct swap_arguments *arguments)
{
	struct swapping *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	shared->start = swap_clock();
	shared->done.target = arguments->target;
	if (arguments->sub && arguments->whole)
		fail(ERROR_CODE_USAGE, "--sub and --whole contradict each other", NULL);
	bounded_must((int)arguments->deadline, swap, shared, "swap the mount", arguments->target);
	shared->root = path_root_of(arguments->pid, arguments->start_ticks);
	describe_result(shared);
	emit_swapped(&shared->done);
}
