#ifndef INOTIFY_H
#define INOTIFY_H

#include <sys/types.h>

#include "protocol.gen.h"

/*
 * Takes one line "inotify wd:… ino:… sdev:… mask:…" of a fdinfo file apart (proc(5)); false when it is none.
 * All its numbers are hexadecimal; sdev is the kernel's own dev_t: 12 bits major, 20 bits minor.
 */
bool parse_watch(const char *line, struct watch_record *watch);

/* Writes a watch record per inotify watch of a kubelet, and how complete they are. */
void inotify_watches(pid_t pid);

/* Writes the limits record. */
void inotify_limits(void);

/* Writes the usage record of a user. */
void inotify_usage(uint64_t uid);

#endif
