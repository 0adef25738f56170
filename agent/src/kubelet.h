#ifndef KUBELET_H
#define KUBELET_H

#include <stdint.h>
#include <sys/types.h>

#include "protocol.gen.h"

struct kubelet_list {
	struct process_record *items;
	size_t count;
};

/*
 * The processes whose command name, or the last part of whose argv[0], is one of names. Threads, zombies and
 * processes that end meanwhile are left out.
 */
struct kubelet_list kubelet_find(const struct list *names);

/*
 * The kubelet root that a command line names: --root-dir in both spellings, also within k3s's --kubelet-arg;
 * NULL when it names none. The last one counts, as in kubelet.
 */
const char *kubelet_root_flag(const struct list *argv);

/* Seconds since 1970, by the clock as it is set now, of a start time in clock ticks since boot. */
int64_t kubelet_started_at(uint64_t start_ticks);

#endif
