#ifndef REPLACE_H
#define REPLACE_H

#include "target.h"

enum { REPLACE_MAX_LAYERS = 16 };

/* A publish target or staging path whose dead mounts are taken off and kept. */
struct replacement {
	struct target target;
	int bare; /* O_PATH of the directory beneath; -1 when absent */
	int copies[REPLACE_MAX_LAYERS]; /* detached copies of its dead mounts, the topmost first */
	size_t count;
	bool was_bare; /* when it was checked */
	bool was_guarded; /* the guard was found, not set */
	bool guarded; /* by us or before */
	struct guarded_record record;
};

/* Finds a target and makes sure that all that is mounted on it is dead and of one of these devices. */
void replacement_check(struct replacement *replacement, int root, const struct replace_arguments *arguments,
	const char *path);

/*
 * Guards the bare directory and takes the dead mounts off; each is looked at again right before. There may be fewer
 * than were checked: detaching a mount on one target also detaches what it had propagated to another.
 */
void replacement_take(struct replacement *replacement, const struct replace_arguments *arguments);

/*
 * Commits or puts back, by what is on the target now, and takes the guard off. A target that is bare keeps it,
 * unless it was bare and without a guard before.
 */
struct released_record replacement_release(struct replacement *replacement, enum decision decision, int milliseconds);

/* Puts the dead mounts back on a bare target; false when it is not bare or that fails. */
bool replacement_restore(struct replacement *replacement, int milliseconds);

#endif
