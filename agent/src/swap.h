#ifndef SWAP_H
#define SWAP_H

#include "mountinfo.h"
#include "nested.h"

/* A container's mount and the repaired one that takes its place. */
struct swapping {
	const struct swap_arguments *arguments;
	struct swapped_record done;
	int root; /* of the container's process */
	int namespace; /* its mount namespace */
	int user_namespace;
	struct mount_table before; /* the container's mounts */
	const struct mount *old;
	const char *expected_root; /* of the new mount */
	int tree; /* detached copy of the repaired mount */
	struct nested nested;
	int64_t start;
};

/* Opens the container's namespaces and finds the mount in it; fails unless it is exactly the one meant. */
void swap_find_old(struct swapping *swapping);

/* Copies the repaired mount, shaped as the old one, in the mount namespace where it is. */
void swap_prepare(struct swapping *swapping);

/* Puts the copy into the container's mount namespace in the old one's place. */
void swap_exchange(struct swapping *swapping);

int64_t swap_clock(void);

#endif
