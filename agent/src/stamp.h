#ifndef STAMP_H
#define STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a log line says of when, and by which process, it was written. */
struct stamp {
	bool dated;
	bool local;   /* the time is that of the writer's time zone, which the line does not name */
	int64_t at;   /* seconds since 1970; a local time is read as if it were UTC */
	uint64_t pid; /* 0 when the line does not say */
};

/*
 * Reads the stamp of klog's header (Lmmdd hh:mm:ss.uuuuuu pid file:line]), also behind the time that a logger
 * put before it; of the JSON format of Kubernetes ("ts", in milliseconds); of journalctl's short-iso. newest
 * is a time that no line is later than: klog leaves out the year.
 */
struct stamp stamp_of(const char *line, size_t length, int64_t newest);

/*
 * Seconds that the writer's time zone is ahead of UTC, told from a local time and the moment that it means.
 * Zones are whole quarters of an hour apart.
 */
int64_t stamp_zone(int64_t local, int64_t moment);

#endif
