#include "nested.h"

#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "failure.h"
#include "kernel.h"
#include "layers.h"
#include "memory.h"
#include "path.h"
#include "shape.h"

enum { ANSWER_DEADLINE = 500 };

static bool descends_from(const struct mount_table *table, const struct mount *mount, const struct mount *ancestor)
{
	for (size_t steps = 0; mount && mount != ancestor && steps < table->count; steps++)
		mount = mount->id == mount->parent ? NULL : mount_by_id(table, mount->parent);
	return mount == ancestor;
}

static const char *without_mark(const char *root)
{
	return memory_copy_bytes(root, strlen(root) - layer_deleted_mark(root));
}

/* What is at that root of the file system, below a directory that shows it from another root on. */
static int open_offset(int directory, const char *shown, const char *wanted)
{
	size_t skipped = strcmp(shown, "/") == 0 ? 0 : strlen(shown);
	int found = path_is_within(wanted, shown) ? path_open(directory, wanted + skipped, PATH_REFUSE) : -1;
	if (found >= 0 && mount_id_of_descriptor(found) == mount_id_of_descriptor(directory))
		return found;
	if (found >= 0)
		close(found);
	return -1;
}

/* The same directory through a mount of the current namespace that answers; -1 without one. */
static int find_elsewhere(int root, const struct mount *wanted)
{
	struct mount_table table = mountinfo_of_self();
	for (size_t i = 0; i < table.count; i++) {
		const struct mount *mount = &table.mounts[i];
		if (strcmp(mount->device, wanted->device) != 0 ||
		    !layer_is_visible(&table, mount))
			continue;
		int directory = path_open(root, mount->mount_point, PATH_REFUSE);
		bool reached = directory >= 0 && mount_id_of_descriptor(directory) == mount->id &&
			answer_within(ANSWER_DEADLINE, directory, mount).state == MOUNT_STATE_ALIVE;
		int found = reached ? open_offset(directory, mount->root, wanted->root) : -1;
		if (directory >= 0)
			close(directory);
		if (found >= 0)
			return found;
	}
	return -1;
}

static int copy_one(const struct mount *mount, const struct mount *replaced, int root, const struct target *fresh,
	int user_namespace)
{
	struct mount wanted = *mount;
	wanted.root = without_mark(mount->root);
	bool own = strcmp(mount->device, replaced->device) == 0;
	int found = own ? open_offset(fresh->descriptor, fresh->mount->root, wanted.root) : find_elsewhere(root, &wanted);
	if (found < 0)
		return -1;
	struct shape shape = {mount->options, shape_propagation(mount), user_namespace};
	int tree = shape_copy(found, &shape, mount->mount_point);
	close(found);
	return tree;
}

struct nested nested_copy(const struct mount_table *table, const struct mount *replaced, int root, const struct target *fresh,
	int user_namespace, bool may_lose)
{
	struct nested nested = {
		.mounts = memory_take(table->count * sizeof(*nested.mounts)),
		.trees = memory_take(table->count * sizeof(*nested.trees)),
	};
	for (size_t i = 0; i < table->count; i++) {
		const struct mount *mount = &table->mounts[i];
		if (mount == replaced || !descends_from(table, mount, replaced))
			continue;
		int tree = copy_one(mount, replaced, root, fresh, user_namespace);
		if (tree < 0 && !may_lose)
			fail(ERROR_CODE_MOUNTED, "a mount inside it is found nowhere else and would be lost",
				mount->mount_point);
		nested.mounts[nested.count] = mount;
		nested.trees[nested.count++] = tree;
	}
	return nested;
}

/* Whether an earlier run, which was interrupted, put it there already. */
static bool is_there(const struct mount *wanted, int place)
{
	struct mount_table table = mountinfo_of_self();
	const struct mount *found = mount_by_id(&table, mount_id_of_descriptor(place));
	return found && strcmp(found->mount_point, wanted->mount_point) == 0 &&
		strcmp(found->device, wanted->device) == 0;
}

static bool attach(const struct nested *nested, size_t i, int directory, const char *path)
{
	int onto = nested->trees[i] < 0 ? -1 : path_open(directory, path, PATH_REFUSE);
	bool attached = onto >= 0 &&
		(is_there(nested->mounts[i], onto) || kernel_move_mount(nested->trees[i], onto, false) == 0);
	if (onto >= 0)
		close(onto);
	return attached;
}

size_t nested_attach(const struct nested *nested, int root)
{
	size_t attached = 0;
	for (size_t i = 0; i < nested->count; i++)
		attached += attach(nested, i, root, nested->mounts[i]->mount_point);
	return attached;
}

size_t nested_attach_in(const struct nested *nested, int tree, const char *mount_point)
{
	size_t attached = 0;
	for (size_t i = 0; i < nested->count; i++)
		attached += attach(nested, i, tree, nested->mounts[i]->mount_point + strlen(mount_point));
	return attached;
}
