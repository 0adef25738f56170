#ifndef SINK_H
#define SINK_H

#include <sys/types.h>

#include "protocol.gen.h"

/* Where a process's standard error ends up. */
struct sink {
	enum log_source source;
	pid_t holder;        /* the process that has the file open */
	unsigned descriptor; /* its descriptor */
	const char *path;    /* as the holder sees it; NULL for the journal */
};

/*
 * Finds it: a regular file; a pipe that another process reads as its standard input, and the file to which that
 * one writes (svlogd, multilog, s6-log, tee); a socket, which is systemd's journal. Fails with "not-found" where
 * it is none of these. May wait for file systems: for bounded children.
 */
struct sink sink_of(pid_t pid);

#endif
