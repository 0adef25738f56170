#ifndef SHAPE_H
#define SHAPE_H

#include "mountinfo.h"

/* How a mount that takes another's place must look. */
struct shape {
	const char *options; /* flags as mountinfo's sixth field lists them */
	enum propagation propagation; /* never keep */
	int user_namespace; /* for an id-mapped mount, else -1 */
};

/* The propagation of a mount. */
enum propagation shape_propagation(const struct mount *mount);

/* Whether a comma-separated list of options has this one. */
bool shape_has(const char *options, const char *option);

/*
 * A detached copy of what an O_PATH descriptor of the current namespace stands for, with the mounts in it, in
 * that shape; path is the descriptor's, for messages. Changes nothing that anybody sees. Fails with
 * "unsupported" before Linux 5.2.
 */
int shape_copy(int descriptor, const struct shape *shape, const char *path);

#endif
