#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "failure.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

enum { ALIGNMENT = 16, RED_ZONE = 16 };

static const size_t capacity = (size_t)96 << 20;

/* Lives at the start of the region, so that parent and child agree on what is taken. */
struct region {
	size_t used;
	size_t last;
};

static struct region *region;

void memory_setup(void)
{
	void *start = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (start == MAP_FAILED)
		fail_errno("map memory", NULL);
	region = start;
	region->used = ALIGNMENT * ((sizeof(*region) + ALIGNMENT - 1) / ALIGNMENT);
	ASAN_POISON_MEMORY_REGION((char *)region + region->used, capacity - region->used);
}

static size_t rounded(size_t size)
{
	return (size + RED_ZONE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *memory_take(size_t size)
{
	if (size >= capacity || rounded(size) > capacity - region->used)
		fail(ERROR_CODE_TOO_LARGE, "more evidence than fits into memory", NULL);
	char *block = (char *)region + region->used;
	region->last = region->used;
	region->used += rounded(size);
	ASAN_UNPOISON_MEMORY_REGION(block, size);
	return block;
}

/* What is taken next must be zeroed again. */
static void release(size_t start)
{
	if (start >= region->used)
		return;
	char *free = (char *)region + start;
	ASAN_UNPOISON_MEMORY_REGION(free, region->used - start);
	memset(free, 0, region->used - start);
	ASAN_POISON_MEMORY_REGION(free, region->used - start);
}

size_t memory_mark(void)
{
	return region->used;
}

void memory_rewind(size_t mark)
{
	release(mark);
	region->used = mark;
	region->last = 0;
}

void *memory_grow(void *block, size_t size, size_t wanted)
{
	if (block && block == (char *)region + region->last && wanted < capacity &&
	    rounded(wanted) <= capacity - region->last) {
		release(region->last + rounded(wanted));
		region->used = region->last + rounded(wanted);
		ASAN_UNPOISON_MEMORY_REGION(block, wanted);
		return block;
	}
	void *larger = memory_take(wanted);
	if (size > 0)
		memcpy(larger, block, size);
	return larger;
}

void memory_adopt(void)
{
	ASAN_UNPOISON_MEMORY_REGION(region, region->used);
}

char *memory_copy_bytes(const char *bytes, size_t length)
{
	char *copy = memory_take(length + 1);
	memcpy(copy, bytes, length);
	return copy;
}

char *memory_copy(const char *text)
{
	return memory_copy_bytes(text, strlen(text));
}

char *memory_format(const char *format, ...)
{
	va_list measured, written;
	va_start(measured, format);
	va_copy(written, measured);
	size_t length = (size_t)vsnprintf(NULL, 0, format, measured);
	va_end(measured);
	char *text = memory_take(length + 1);
	vsnprintf(text, length + 1, format, written);
	va_end(written);
	return text;
}

const uint64_t *memory_uint(uint64_t value)
{
	uint64_t *boxed = memory_take(sizeof(value));
	*boxed = value;
	return boxed;
}

const int64_t *memory_int(int64_t value)
{
	int64_t *boxed = memory_take(sizeof(value));
	*boxed = value;
	return boxed;
}

const bool *memory_bool(bool value)
{
	bool *boxed = memory_take(sizeof(value));
	*boxed = value;
	return boxed;
}
