#ifndef ANSWER_H
#define ANSWER_H

#include <stdbool.h>
#include <sys/statfs.h>

#include "protocol.gen.h"

/* What a file system says when it is asked whether it is there. */
struct answer {
	enum mount_state state;
	int number; /* errno of a dead or unseen one, 0 otherwise */
};

bool is_fuse(const struct mount *mount);

/* Whether its server can go away and leave the mount behind: FUSE and the network file systems. */
bool can_die(const struct mount *mount);

/*
 * Judges what fstatfs gave: number is 0 or its errno. Dead: ENOTCONN and ECONNABORTED (a FUSE daemon is gone),
 * ESTALE and EHOSTDOWN of a network file system. Alive: an answer, or ENOSYS (a FUSE server without statfs).
 * Unseen: all else, and the empty answer that FUSE gives to those whom a missing allow_other keeps out
 * (fuse_statfs in fs/fuse/inode.c), which it gives dead or alive.
 */
struct answer answer_judge(const struct mount *mount, int number, const struct statfs *statfs);

/* Asks through an open descriptor. Waits as long as the file system does; takes no memory. */
struct answer answer_of(int descriptor, const struct mount *mount);

/* The same in a child process; hung when no answer came in so many milliseconds. Never fails. */
struct answer answer_within(int milliseconds, int descriptor, const struct mount *mount);

/* Fails unless the mount is dead. */
void answer_must_be_dead(int milliseconds, int descriptor, const struct mount *mount);

/* The errno's name, NULL without one. */
const char *answer_errno(struct answer answer);

#endif
