#include "layers.h"

#include <string.h>

#include "text.h"

static bool same_point(const struct mount *one, const struct mount *other)
{
	return strcmp(one->mount_point, other->mount_point) == 0;
}

const struct mount *layer_above(const struct mount_table *table, const struct mount *mount)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct mount *other = &table->mounts[i];
		if (other->parent == mount->id && other != mount && same_point(other, mount))
			return other;
	}
	return NULL;
}

const struct mount *layer_below(const struct mount_table *table, const struct mount *mount)
{
	const struct mount *parent = mount_by_id(table, mount->parent);
	return parent && parent != mount && same_point(parent, mount) ? parent : NULL;
}

uint64_t layer_position(const struct mount_table *table, const struct mount *mount)
{
	uint64_t position = 0;
	while (position < table->count && (mount = layer_below(table, mount)))
		position++;
	return position;
}

uint64_t layer_count(const struct mount_table *table, const struct mount *mount)
{
	uint64_t count = layer_position(table, mount) + 1;
	while (count < table->count && (mount = layer_above(table, mount)))
		count++;
	return count;
}

bool path_is_within(const char *path, const char *directory)
{
	size_t length = strlen(directory);
	if (length > 0 && directory[length - 1] == '/')
		length--;
	return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Whether another child of the same parent stands in the way to a mount, or took its place later. */
static bool is_covered_in_parent(const struct mount_table *table, const struct mount *mount)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct mount *other = &table->mounts[i];
		if (other == mount || other->parent != mount->parent || other->id == other->parent)
			continue;
		if (same_point(other, mount) ? other > mount : path_is_within(mount->mount_point, other->mount_point))
			return true;
	}
	return false;
}

bool layer_is_visible(const struct mount_table *table, const struct mount *mount)
{
	if (layer_above(table, mount))
		return false;
	for (size_t steps = 0; mount && steps < table->count; steps++) {
		const struct mount *parent = mount_by_id(table, mount->parent);
		if (!parent || parent == mount)
			return true;
		if (is_covered_in_parent(table, mount))
			return false;
		mount = parent;
	}
	return false;
}

bool layer_has_nested(const struct mount_table *table, const struct mount *mount)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->mounts[i].parent == mount->id && &table->mounts[i] != mount && !same_point(&table->mounts[i], mount))
			return true;
	return false;
}

size_t layer_deleted_mark(const char *root)
{
	static const char mark[] = "//deleted";
	return text_ends_with(root, mark) ? strlen(mark) : 0;
}
