/* Feeds arbitrary bytes to the parsers of what /proc and the command line hold; the first byte chooses one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inotify.h"
#include "kubelet.h"
#include "layers.h"
#include "logtext.h"
#include "maps.h"
#include "memory.h"
#include "mountinfo.h"
#include "procfs.h"
#include "shape.h"
#include "stamp.h"
#include "survey.h"
#include "text.h"

static void mountinfo(const char *text, size_t length)
{
	(void)length;
	struct mount_table table = parse_mountinfo(text);
	for (size_t i = 0; i < table.count; i++) {
		uint64_t layers;
		if (mount_on(&table, table.mounts[i].mount_point, &layers) == NULL || layers == 0)
			abort();
		const struct mount *mount = &table.mounts[i];
		if (layer_position(&table, mount) > table.count || layer_count(&table, mount) > 2 * table.count)
			abort();
		if (layer_is_visible(&table, mount) && layer_above(&table, mount))
			abort();
		layer_has_nested(&table, mount);
		layer_deleted_mark(mount->root);
		can_die(mount);
		shape_has(mount->options, "ro");
		is_kubelet_csi_path(mount->mount_point, "/var/lib/kubelet");
	}
}

static void check_device(const char *device, void *context)
{
	(void)context;
	if (!text_is_device(device))
		abort();
}

static void maps(const char *text, size_t length)
{
	(void)length;
	parse_maps(text, check_device, NULL);
}

static void stat_file(const char *text, size_t length)
{
	struct process_stat stat;
	if (parse_stat(text, &stat) && strlen(stat.comm) > length)
		abort();
}

static void command_line(const char *text, size_t length)
{
	struct list argv = parse_command_line(text, length);
	kubelet_root_flag(&argv);
}

static void fdinfo(const char *text, size_t length)
{
	struct list lines = parse_lines(text);
	struct watch_record watch;
	uint64_t number;
	(void)length;
	parse_keyed_number(text, "mnt_id:", &number);
	for (size_t i = 0; i < lines.count; i++)
		if (parse_watch(lines.items[i], &watch) && !text_is_device(watch.device))
			abort();
}

static void argument(const char *text, size_t length)
{
	uint64_t number;
	const char *decoded = text_percent_decode(text);
	if (decoded && strlen(decoded) > length)
		abort();
	if (decoded && text_is_plain_path(decoded) && strstr(decoded, "/../"))
		abort();
	text_number(text, &number);
	text_is_unit(text);
	text_is_word(text);
}

static bool is_within(const struct line *line, const struct log_text *log)
{
	return line->text >= log->bytes && line->text + line->length <= log->bytes + log->length;
}

static void log_lines(const char *text, size_t length)
{
	struct log_text log = {.bytes = text, .length = length, .cut = length % 2, .written = 1796060529};
	struct line line, first = log_first_dated(&log), last = log_last_dated(&log);
	if ((first.text && !is_within(&first, &log)) || (last.text && !is_within(&last, &log)))
		abort();
	for (size_t at = 0; log_next_line(&log, &at, &line);) {
		struct stamp stamp = stamp_of(line.text, line.length, log.written);
		if (!is_within(&line, &log) || memchr(line.text, '\n', line.length) || (stamp.local && !stamp.dated) ||
		    stamp_zone(stamp.at, log.written) % 900 != 0)
			abort();
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	memory_setup();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *, size_t) = {mountinfo, stat_file, command_line, fdinfo, argument,
		maps, log_lines};
	if (size == 0)
		return 0;
	size_t mark = memory_mark();
	char *text = memory_copy_bytes((const char *)data + 1, size - 1);
	parsers[data[0] % (sizeof(parsers) / sizeof(parsers[0]))](text, size - 1);
	memory_rewind(mark);
	return 0;
}
