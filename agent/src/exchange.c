#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "answer.h"
#include "crash.h"
#include "failure.h"
#include "kernel.h"
#include "layers.h"
#include "path.h"
#include "procfs.h"
#include "swap.h"
#include "target.h"

enum { ANSWER_DEADLINE = 500 };

int64_t swap_clock(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* A lookup through a dead mount on the way would make the kernel unmount the target, in every namespace. */
static void must_have_living_way(const struct swapping *swapping, const struct mount *mount)
{
	const struct mount *parent = mount_by_id(&swapping->before, mount->parent);
	if (!parent || parent == mount)
		return;
	must_have_living_way(swapping, parent);
	if (!can_die(parent) || strcmp(parent->mount_point, swapping->old->mount_point) == 0)
		return;
	int opened = path_open(swapping->root, parent->mount_point, PATH_REFUSE);
	bool reached = opened >= 0 && mount_id_of_descriptor(opened) == parent->id;
	if (!reached || answer_within(ANSWER_DEADLINE, opened, parent).state != MOUNT_STATE_ALIVE)
		fail(ERROR_CODE_UNSEEN, "it lies inside a mount that does not answer: repair that one first",
			parent->mount_point);
	close(opened);
}

static int open_target(const struct swapping *swapping, const struct mount *wanted)
{
	const char *target = swapping->arguments->target;
	int opened = path_open(swapping->root, target, PATH_REFUSE);
	if (opened < 0)
		fail_errno("open the target", target);
	if (mount_id_of_descriptor(opened) != wanted->id)
		fail(ERROR_CODE_CHANGED, "the topmost mount on the target is another one now", target);
	return opened;
}

static void detach_old(int old, const char *target)
{
	if (!detach_mount(old))
		fail_errno("detach the old mount", target);
}

/*
 * Takes dead mounts off that lie on dead ones, down to the last, which the exchange needs. True when a mount that
 * answers comes to light: an earlier run put it beneath and was interrupted.
 */
static bool pop_dead_layers(struct swapping *swapping, int *old)
{
	const struct mount *mount = swapping->old;
	for (;;) {
		const struct mount *lower = layer_below(&swapping->before, mount);
		if (!lower || !can_die(lower))
			return false;
		detach_old(*old, swapping->arguments->target);
		swapping->done.popped++;
		close(*old);
		mount = lower;
		*old = open_target(swapping, lower);
		if (answer_within(ANSWER_DEADLINE, *old, lower).state == MOUNT_STATE_DEAD)
			continue;
		if (strcmp(lower->device, swapping->arguments->from_device) == 0)
			return true;
		fail(ERROR_CODE_ALIVE, "another mount that may be alive was beneath the dead one", lower->mount_point);
	}
}

/*
 * An earlier run put the new mount beneath one that answers, and was interrupted. It answers, as the mount that it
 * is a copy of does.
 */
static bool is_beneath(const struct swapping *swapping)
{
	const struct mount *lower = layer_below(&swapping->before, swapping->old);
	return lower && strcmp(lower->device, swapping->arguments->from_device) == 0 &&
		strcmp(lower->root, swapping->expected_root) == 0;
}

static void must_have_all_nested(const struct swapping *swapping)
{
	if (swapping->done.nested < swapping->nested.count && !swapping->arguments->lose_nested)
		fail(ERROR_CODE_CHANGED, "the mount was swapped, but a mount inside it could not be put back",
			swapping->arguments->target);
}

static void attach_nested(struct swapping *swapping)
{
	swapping->done.nested = nested_attach(&swapping->nested, swapping->root);
	must_have_all_nested(swapping);
}

/* What lies inside comes first, so that no app ever sees the volume without it. */
static void attach_nested_beneath(struct swapping *swapping)
{
	const struct swap_arguments *arguments = swapping->arguments;
	swapping->done.nested = nested_attach_in(&swapping->nested, swapping->tree, swapping->old->mount_point);
	if (swapping->done.nested == swapping->nested.count || arguments->lose_nested)
		return;
	detach_mount(swapping->tree);
	fail(ERROR_CODE_MOUNTED, "a mount inside it could not be put back: nothing was swapped", arguments->target);
}

static void put_beneath(struct swapping *swapping, int old)
{
	attach_nested_beneath(swapping);
	int64_t start = swap_clock();
	crash_point("beneath");
	detach_old(old, swapping->arguments->target);
	swapping->done.mode = SWAP_MODE_BENEATH;
	swapping->done.window = (uint64_t)(swap_clock() - start);
}

static void put_on_top(struct swapping *swapping, int old)
{
	int64_t start = swap_clock();
	if (kernel_move_mount(swapping->tree, old, false) < 0)
		fail_errno("mount on top of the old mount", swapping->arguments->target);
	swapping->done.mode = SWAP_MODE_TOP;
	swapping->done.window = (uint64_t)(swap_clock() - start);
	attach_nested(swapping);
}

static void put_after_detaching(struct swapping *swapping, int old)
{
	const char *target = swapping->arguments->target;
	int64_t start = swap_clock();
	detach_old(old, target);
	int bare = path_open(swapping->root, target, PATH_REFUSE);
	if (bare < 0 || kernel_move_mount(swapping->tree, bare, false) < 0)
		fail_errno("mount on the bare target", target);
	swapping->done.mode = SWAP_MODE_DETACH;
	swapping->done.window = (uint64_t)(swap_clock() - start);
	attach_nested(swapping);
}

static void put(struct swapping *swapping, int old)
{
	enum swap_mode mode = swapping->arguments->mode;
	if (mode == SWAP_MODE_DETACH) {
		put_after_detaching(swapping, old);
		return;
	}
	bool tried = mode == SWAP_MODE_AUTO || mode == SWAP_MODE_BENEATH;
	if (tried && kernel_move_mount(swapping->tree, old, true) == 0) {
		put_beneath(swapping, old);
		return;
	}
	if (tried)
		swapping->done.beneath_errno = errno_name(errno);
	if (mode == SWAP_MODE_BENEATH)
		fail_errno("mount beneath the old mount", swapping->arguments->target);
	put_on_top(swapping, old);
}

static bool finish_planned(struct swapping *swapping, int old)
{
	if (!is_beneath(swapping))
		return false;
	detach_old(old, swapping->arguments->target);
	swapping->done.popped++;
	return true;
}

void swap_exchange(struct swapping *swapping)
{
	const struct swap_arguments *arguments = swapping->arguments;
	int proc = open(procfs_base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (setns(swapping->namespace, CLONE_NEWNS) < 0 || fchdir(proc) < 0)
		fail_errno("enter the container's mount namespace", arguments->target);
	must_have_living_way(swapping, swapping->old);
	int old = open_target(swapping, swapping->old);
	if (!arguments->planned)
		answer_must_be_dead(ANSWER_DEADLINE, old, swapping->old);
	if (arguments->planned ? finish_planned(swapping, old) : pop_dead_layers(swapping, &old)) {
		swapping->done.mode = SWAP_MODE_BENEATH;
		attach_nested(swapping);
		return;
	}
	put(swapping, old);
}
