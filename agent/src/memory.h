#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One region for all of a run, shared with child processes, so that what a child found is there after it was
 * killed. Nothing is given back: a run is short. Running out of it ends the run with "too-large".
 */

/* Maps the region; once, before all else. */
void memory_setup(void);

/* Zeroed bytes, aligned for every type. */
void *memory_take(size_t size);

/* Grows a block, in place when it is the last one taken; copies it otherwise. The last one may shrink too. */
void *memory_grow(void *block, size_t size, size_t wanted);

/*
 * All that was taken since a mark is free again. For loops over everything a node has: processes by the ten
 * thousand.
 */
size_t memory_mark(void);
void memory_rewind(size_t mark);

char *memory_copy(const char *text);
char *memory_copy_bytes(const char *bytes, size_t length);
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

const uint64_t *memory_uint(uint64_t value);
const int64_t *memory_int(int64_t value);
const bool *memory_bool(bool value);

/* Makes what a child took readable to the address sanitizer of this process. */
void memory_adopt(void);

#endif
