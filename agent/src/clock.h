#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of a clock that only goes forward. */
static inline int64_t clock_milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline void clock_sleep(int milliseconds)
{
	struct timespec pause = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
	nanosleep(&pause, NULL);
}

#endif
