#ifndef LOGTEXT_H
#define LOGTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sink.h"

/* The newest part of a log. */
struct log_text {
	const char *bytes;
	size_t length;
	bool cut;          /* older bytes were left out */
	bool newest_first; /* its last line is the oldest */
	int64_t written;   /* seconds since 1970 of the last write */
};

/* Without its newline. */
struct line {
	const char *text;
	size_t length;
};

/* Reads the end of the file behind a sink. May wait for its file system: for bounded children. */
struct log_text log_text_of_file(const struct sink *sink);

/*
 * Asks the host's journalctl for what a process wrote since a time in seconds since 1970. Fails with
 * "unsupported" where there is none, or the rights to run it are missing; with "hung" after the deadline
 * (of clock_milliseconds).
 */
struct log_text log_text_of_journal(pid_t pid, int64_t since, int64_t deadline);

/* Takes the line that begins at *at and moves *at behind it; false at the end. */
bool log_next_line(const struct log_text *text, size_t *at, struct line *line);

/* The first and the last whole line whose time can be told, without text where a thousand lines have none. */
struct line log_first_dated(const struct log_text *text);
struct line log_last_dated(const struct log_text *text);

#endif
