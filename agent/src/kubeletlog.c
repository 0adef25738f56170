#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bounded.h"
#include "clock.h"
#include "failure.h"
#include "kubelet.h"
#include "logtext.h"
#include "memory.h"
#include "procfs.h"
#include "sink.h"
#include "stamp.h"

/* Clocks are set while a kubelet runs; and it takes a moment until it writes its first line. */
enum { MAX_LINE = 4096, CLOCK_SLACK = 2, SILENCE_AT_START = 60 };

struct reading {
	const struct kubelet_log_arguments *arguments;
	struct sink sink;
	struct log_text text;
	/* Whose lines count. */
	uint64_t pid;
	int64_t started_at;
	/* How far the writer's clock is ahead of UTC. */
	int64_t zone;
	/* The newest lines that match; a ring. */
	struct line *lines;
	size_t matches;
	struct line oldest;
};

/* klog writes the process id as the process itself knows it: the innermost one of a nested PID namespace. */
static uint64_t innermost_pid(pid_t pid)
{
	const char *status = procfs_read_of(pid, "status", NULL);
	const char *ids = status ? strstr(status, "\nNSpid:") : NULL;
	if (!ids)
		return (uint64_t)pid;
	const char *last = ids + 1;
	size_t length = strcspn(last, "\n");
	for (size_t i = 0; i < length; i++)
		if (ids[1 + i] == '\t')
			last = ids + 1 + i;
	return strtoull(last, NULL, 10);
}

static struct stamp stamp_in_utc(const struct reading *reading, const struct line *line)
{
	struct stamp stamp = stamp_of(line->text, line->length, reading->text.written);
	if (stamp.local)
		stamp.at -= reading->zone;
	return stamp;
}

static bool is_ours(const struct reading *reading, const struct stamp *stamp)
{
	return (stamp->pid == 0 || stamp->pid == reading->pid) &&
		(!stamp->dated || stamp->at >= reading->started_at - CLOCK_SLACK);
}

static bool matches(const struct list *texts, const struct line *line)
{
	for (size_t i = 0; i < texts->count; i++)
		if (memmem(line->text, line->length, texts->items[i], strlen(texts->items[i])))
			return true;
	return false;
}

/* The last line was written when the file was: that tells the time zone. */
static void learn_zone(struct reading *reading)
{
	struct line line = log_last_dated(&reading->text);
	struct stamp stamp = stamp_of(line.text, line.length, reading->text.written);
	if (stamp.local)
		reading->zone = stamp_zone(stamp.at, reading->text.written);
}

/* Returns false when no line that follows can be wanted any more. */
static bool consider(struct reading *reading, const struct line *line)
{
	size_t limit = reading->arguments->lines;
	if (!matches(&reading->arguments->match, line))
		return true;
	struct stamp stamp = stamp_in_utc(reading, line);
	if (is_ours(reading, &stamp))
		reading->lines[reading->matches++ % limit] = *line;
	return !reading->text.newest_first || reading->matches < limit;
}

static void scan(struct reading *reading)
{
	struct line line;
	size_t at = 0;
	bool newest_first = reading->text.newest_first;
	reading->lines = memory_take(reading->arguments->lines * sizeof(*reading->lines));
	reading->oldest = newest_first ? log_last_dated(&reading->text) : log_first_dated(&reading->text);
	if (reading->text.cut && !newest_first)
		log_next_line(&reading->text, &at, &line); /* half a line */
	while (log_next_line(&reading->text, &at, &line) && consider(reading, &line))
		continue;
}

/* Whether the log begins later than this kubelet did: it was rotated, or is too long to be read whole. */
static bool is_truncated(const struct reading *reading)
{
	if (!reading->oldest.text)
		return reading->text.cut;
	struct stamp stamp = stamp_in_utc(reading, &reading->oldest);
	return is_ours(reading, &stamp) && stamp.at > reading->started_at + SILENCE_AT_START;
}

/* A NUL would end the text. */
static const char *printable(const struct line *line)
{
	size_t length = line->length < MAX_LINE ? line->length : MAX_LINE;
	char *copy = memory_copy_bytes(line->text, length);
	for (char *nul; (nul = memchr(copy, '\0', length));)
		*nul = '?';
	return copy;
}

static void emit_lines(const struct reading *reading)
{
	size_t limit = reading->arguments->lines;
	size_t count = reading->matches < limit ? reading->matches : limit;
	for (size_t i = 0; i < count; i++) {
		size_t index = reading->text.newest_first ? count - 1 - i : (reading->matches - count + i) % limit;
		const struct line *line = &reading->lines[index];
		struct stamp stamp = stamp_in_utc(reading, line);
		struct log_line_record record = {.line = printable(line), .at = stamp.dated ? &stamp.at : NULL};
		emit_log_line(&record);
	}
}

static void look(void *context)
{
	struct reading *reading = context;
	reading->sink = sink_of(reading->arguments->pid);
	if (reading->sink.source == LOG_SOURCE_JOURNAL)
		return;
	reading->text = log_text_of_file(&reading->sink);
	learn_zone(reading);
}

void run_kubelet_log(const struct kubelet_log_arguments *arguments)
{
	int64_t deadline = clock_milliseconds() + (int64_t)arguments->deadline;
	struct reading *reading = memory_take(sizeof(*reading));
	procfs_must_be(arguments->pid, arguments->start_ticks);
	*reading = (struct reading){.arguments = arguments, .pid = innermost_pid(arguments->pid),
		.started_at = kubelet_started_at(arguments->start_ticks)};
	bounded_must((int)arguments->deadline, look, reading, "read kubelet's log", NULL);
	if (reading->sink.source == LOG_SOURCE_JOURNAL)
		reading->text = log_text_of_journal(arguments->pid, reading->started_at, deadline);
	scan(reading);
	emit_lines(reading);
	struct log_counts_record counts = {.source = reading->sink.source, .path = reading->sink.path,
		.scanned = reading->text.length, .truncated = is_truncated(reading)};
	emit_log_counts(&counts);
}
