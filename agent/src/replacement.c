#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "crash.h"
#include "failure.h"
#include "guard.h"
#include "kernel.h"
#include "layers.h"
#include "memory.h"
#include "replace.h"
#include "survey.h"

static bool is_listed(const struct list *devices, const char *device)
{
	for (size_t i = 0; i < devices->count; i++)
		if (strcmp(devices->items[i], device) == 0)
			return true;
	return false;
}

static void must_be_listed(const struct replace_arguments *arguments, const struct mount *mount, const char *path)
{
	if (!is_listed(&arguments->device, mount->device))
		fail(ERROR_CODE_MOUNTED, memory_format("a mount of device %s is on it", mount->device), path);
}

void replacement_check(struct replacement *replacement, int root, const struct replace_arguments *arguments,
	const char *path)
{
	if (!is_kubelet_csi_path(path, arguments->root))
		fail(ERROR_CODE_USAGE, "not a publish target or staging path below kubelet's root", path);
	replacement->target = target_open_within(root, arguments->root, path);
	replacement->bare = -1;
	struct target *target = &replacement->target;
	replacement->was_bare = !target->mount;
	if (target->layers > REPLACE_MAX_LAYERS)
		fail(ERROR_CODE_TOO_LARGE, "more mounts are on it than are kept", path);
	for (const struct mount *layer = target->mount; layer; layer = layer_below(&target->mounts, layer)) {
		must_be_listed(arguments, layer, path);
		if (layer_has_nested(&target->mounts, layer))
			fail(ERROR_CODE_MOUNTED, "something is mounted inside it", path);
	}
	if (target->mount)
		answer_must_be_dead((int)arguments->deadline, target->descriptor, target->mount);
}

static void guard(struct replacement *replacement)
{
	struct guarded_record *record = &replacement->record;
	bool changed = false;
	replacement->guarded = replacement->bare >= 0 && guard_set(replacement->bare, true, &changed);
	record->guarded = replacement->guarded;
	record->errno_ = replacement->guarded ? NULL : errno_name(replacement->bare < 0 ? ENOENT : errno);
	replacement->was_guarded = replacement->guarded && !changed;
}

static const char *file_system_of(const struct replacement *replacement)
{
	uint64_t id = mount_id_of_descriptor(replacement->target.parent);
	const struct mount *holder = mount_by_id(&replacement->target.mounts, id);
	return holder ? holder->fs_type : NULL;
}

static void take_top(struct replacement *replacement, const struct replace_arguments *arguments)
{
	struct target *target = &replacement->target;
	must_be_listed(arguments, target->mount, target->path);
	target_must_have_nothing_nested(target);
	answer_must_be_dead((int)arguments->deadline, target->descriptor, target->mount);
	if (replacement->count == REPLACE_MAX_LAYERS)
		fail(ERROR_CODE_TOO_LARGE, "more mounts are on it than are kept", target->path);
	int copy = kernel_clone_tree(target->descriptor, false);
	if (copy < 0 && errno == ENOSYS)
		fail(ERROR_CODE_UNSUPPORTED, "this kernel has no open_tree: a dead mount can't be kept", target->path);
	if (copy < 0)
		fail_errno("copy a dead mount", target->path);
	replacement->copies[replacement->count++] = copy;
	if (!target_detach(target)) {
		replacement->count--;
		fail_errno("detach a dead mount", target->path);
	}
}

void replacement_take(struct replacement *replacement, const struct replace_arguments *arguments)
{
	struct target *target = &replacement->target;
	target_refresh(target);
	replacement->record.target = target->path;
	replacement->record.layers = target->layers;
	replacement->record.fs_type = file_system_of(replacement);
	if (target->descriptor >= 0)
		replacement->bare = target->mount ? guard_reveal(target->parent, target->last)
			: fcntl(target->descriptor, F_DUPFD_CLOEXEC, 0);
	if (!arguments->no_guard)
		guard(replacement);
	crash_point("guarded");
	while (target->mount)
		take_top(replacement, arguments);
	crash_point("detached");
}

/* Takes off what died on the target since. */
static void drop_dead(struct target *target, int milliseconds)
{
	while (target->mount && answer_within(milliseconds, target->descriptor, target->mount).state == MOUNT_STATE_DEAD)
		if (!target_detach(target))
			return;
}

bool replacement_restore(struct replacement *replacement, int milliseconds)
{
	struct target *target = &replacement->target;
	target_refresh(target);
	drop_dead(target, milliseconds);
	if (target->mount || (target->descriptor < 0 && replacement->count > 0))
		return false;
	while (replacement->count > 0) {
		if (kernel_move_mount(replacement->copies[replacement->count - 1], target->descriptor, false) < 0)
			return false;
		replacement->count--;
		target_refresh(target);
	}
	return true;
}

/*
 * A container could be bound to a bare directory and write to the node's disk: the guard comes off only beneath a
 * mount that answers or is dead, or where the directory was bare and without a guard before.
 */
static bool needs_guard(const struct replacement *replacement, int milliseconds)
{
	const struct target *target = &replacement->target;
	if (!target->mount)
		return !replacement->was_bare || replacement->was_guarded;
	enum mount_state state = answer_within(milliseconds, target->descriptor, target->mount).state;
	return state != MOUNT_STATE_ALIVE && state != MOUNT_STATE_DEAD;
}

/* False when the guard should be off and could not be taken off. */
static bool unguard(const struct replacement *replacement, int milliseconds)
{
	return !replacement->guarded || needs_guard(replacement, milliseconds) ||
		guard_set(replacement->bare, false, NULL);
}

static bool is_republished(const struct target *target, int milliseconds)
{
	return target->layers == 1 &&
		answer_within(milliseconds, target->descriptor, target->mount).state == MOUNT_STATE_ALIVE;
}

static const char *why_left(const struct target *target)
{
	if (target->descriptor < 0)
		return "the directory is gone";
	if (!target->mount)
		return "nothing is mounted on it, and the old mounts could not be put back";
	return target->layers > 1 ? "several mounts are on it" : "a mount that does not answer, yet is not dead, is on it";
}

struct released_record replacement_release(struct replacement *replacement, enum decision decision, int milliseconds)
{
	struct target *target = &replacement->target;
	struct released_record record = {.target = target->path, .decision = decision, .outcome = RELEASE_LEFT};
	target_refresh(target);
	bool republished = is_republished(target, milliseconds);
	if (republished && decision != DECISION_ROLLBACK)
		record.outcome = RELEASE_COMMITTED;
	else if (republished)
		record.reason = "a mount that answers is on it";
	else if (replacement_restore(replacement, milliseconds))
		record.outcome = RELEASE_RESTORED;
	else
		record.reason = why_left(target);
	if (!unguard(replacement, milliseconds) && !record.reason)
		record.reason = "the immutable flag could not be taken off";
	record.guarded = replacement->bare >= 0 && guard_is_on(replacement->bare) == 1;
	record.layers = target->layers;
	record.device = target->mount ? target->mount->device : NULL;
	return record;
}
