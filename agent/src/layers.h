#ifndef LAYERS_H
#define LAYERS_H

#include "mountinfo.h"

/*
 * Which mount lies on which, told by the parents alone: the order of mountinfo's lines does not say it since a
 * mount can be put beneath another.
 */

/* The mount that lies on exactly the mount point of another, with that as parent; NULL when it is the topmost. */
const struct mount *layer_above(const struct mount_table *table, const struct mount *mount);

/* The mount beneath on the same mount point, NULL when it is the lowest. */
const struct mount *layer_below(const struct mount_table *table, const struct mount *mount);

/* How many there are beneath. */
uint64_t layer_position(const struct mount_table *table, const struct mount *mount);

/* How many there are on its mount point. */
uint64_t layer_count(const struct mount_table *table, const struct mount *mount);

/* Whether looking up the mount point leads to this mount. */
bool layer_is_visible(const struct mount_table *table, const struct mount *mount);

/* Whether something is mounted inside it, not just on it. */
bool layer_has_nested(const struct mount_table *table, const struct mount *mount);

/* The length of the "//deleted" that the kernel appends to a root whose directory is gone; 0 without it. */
size_t layer_deleted_mark(const char *root);

/* Whether path is directory, or below it. */
bool path_is_within(const char *path, const char *directory);

#endif
