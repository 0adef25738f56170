#include "mountinfo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "memory.h"
#include "procfs.h"

enum { MAX_FIELDS = 24 };

struct slice {
	const char *start;
	size_t length;
};

static size_t split_fields(const char *line, size_t length, struct slice *fields)
{
	size_t count = 0;
	const char *end = line + length;
	while (line <= end && count < MAX_FIELDS) {
		const char *blank = memchr(line, ' ', (size_t)(end - line));
		size_t size = (size_t)((blank ? blank : end) - line);
		fields[count++] = (struct slice){line, size};
		line += size + 1;
	}
	return count;
}

static bool is_octal(const char *text)
{
	for (int i = 0; i < 3; i++)
		if (text[i] < '0' || text[i] > '7')
			return false;
	return text[0] <= '3';
}

/* A copy with \NNN turned back into its byte. */
static char *unescape(struct slice slice)
{
	char *text = memory_take(slice.length + 1);
	size_t used = 0;
	for (size_t i = 0; i < slice.length; i++) {
		const char *at = slice.start + i;
		if (*at == '\\' && i + 3 < slice.length && is_octal(at + 1)) {
			text[used++] = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
			i += 3;
		} else {
			text[used++] = *at;
		}
	}
	text[used] = '\0';
	return text;
}

static const uint64_t *tagged_number(struct slice field, const char *tag)
{
	size_t length = strlen(tag);
	if (field.length <= length || memcmp(field.start, tag, length) != 0)
		return NULL;
	return memory_uint(strtoull(memory_copy_bytes(field.start + length, field.length - length), NULL, 10));
}

static uint64_t number(struct slice field)
{
	return strtoull(memory_copy_bytes(field.start, field.length), NULL, 10);
}

bool parse_mount(const char *line, size_t length, struct mount *mount)
{
	struct slice fields[MAX_FIELDS];
	size_t count = split_fields(line, length, fields);
	size_t dash = 6;
	*mount = (struct mount){0};
	while (dash < count && !(fields[dash].length == 1 && fields[dash].start[0] == '-')) {
		const uint64_t *shared = tagged_number(fields[dash], "shared:");
		const uint64_t *master = tagged_number(fields[dash], "master:");
		mount->shared = shared ? shared : mount->shared;
		mount->master = master ? master : mount->master;
		dash++;
	}
	if (dash + 3 >= count)
		return false;
	mount->id = number(fields[0]);
	mount->parent = number(fields[1]);
	mount->device = unescape(fields[2]);
	mount->root = unescape(fields[3]);
	mount->mount_point = unescape(fields[4]);
	mount->options = unescape(fields[5]);
	mount->fs_type = unescape(fields[dash + 1]);
	mount->source = unescape(fields[dash + 2]);
	mount->super_options = unescape(fields[dash + 3]);
	return true;
}

/* By memchr: strchr and strcspn of this C library measure the whole rest of the text first, at every line. */
struct mount_table parse_mountinfo(const char *text)
{
	size_t lines = 1;
	const char *end = text + strlen(text);
	for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		lines++;
	struct mount_table table = {.mounts = memory_take(lines * sizeof(struct mount))};
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);
		if (parse_mount(text, length, &table.mounts[table.count]))
			table.count++;
		text += length + (newline != NULL);
	}
	return table;
}

static struct mount_table read_table(const char *path)
{
	const char *text = procfs_read(path, NULL);
	if (!text)
		fail_errno("read mountinfo", path);
	return parse_mountinfo(text);
}

struct mount_table mountinfo_of(pid_t pid)
{
	return read_table(memory_format("%s/%d/mountinfo", procfs_base, pid));
}

struct mount_table mountinfo_of_self(void)
{
	return read_table(memory_format("%s/self/mountinfo", procfs_base));
}

const struct mount *mount_by_id(const struct mount_table *table, uint64_t id)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->mounts[i].id == id)
			return &table->mounts[i];
	return NULL;
}

const struct mount *mount_on(const struct mount_table *table, const char *path, uint64_t *layers)
{
	const struct mount *last = NULL;
	uint64_t count = 0;
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(table->mounts[i].mount_point, path) != 0)
			continue;
		last = &table->mounts[i];
		count++;
	}
	if (layers)
		*layers = count;
	return last;
}

uint64_t mount_id_of_descriptor(int descriptor)
{
	char path[64], fdinfo[256] = "";
	uint64_t id = 0;
	snprintf(path, sizeof(path), "%s/self/fdinfo/%d", procfs_base, descriptor);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, fdinfo, sizeof(fdinfo) - 1);
	if (file >= 0)
		close(file);
	return length > 0 && parse_keyed_number(fdinfo, "mnt_id:", &id) ? id : 0;
}
