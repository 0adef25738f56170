#ifndef NESTED_H
#define NESTED_H

#include "target.h"

/* Detached copies of the mounts that are inside a mount which is about to be replaced. */
struct nested {
	const struct mount **mounts;
	int *trees; /* -1 where it can't be put back */
	size_t count;
};

/*
 * Copies what is mounted inside a mount of the table: its own path cannot be walked, since the lookup in a dead
 * mount would make the kernel unmount them. So each is taken from a mount of the same file system in the
 * current namespace, or, where it shows the replaced file system itself, from the new one, fresh.
 * Fails with "mounted" when one is found nowhere, unless that may be lost.
 */
struct nested nested_copy(const struct mount_table *table, const struct mount *replaced, int root, const struct target *fresh,
	int user_namespace, bool may_lose);

/* Attaches them again below root; how many are there. */
size_t nested_attach(const struct nested *nested, int root);

/* The same in the mount that takes the place of the one on mount_point, while nobody sees it yet. */
size_t nested_attach_in(const struct nested *nested, int tree, const char *mount_point);

#endif
