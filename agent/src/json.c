#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

static int descriptor = STDOUT_FILENO;
static char buffer[1 << 15];
static size_t held;
static uint64_t records;
static bool needs_comma;

void json_to(int other)
{
	descriptor = other;
}

void json_flush(void)
{
	for (size_t start = 0; start < held;) {
		ssize_t written = write(descriptor, buffer + start, held - start);
		if (written <= 0)
			break;
		start += (size_t)written;
	}
	held = 0;
}

static void put(const char *bytes, size_t length)
{
	if (held + length > sizeof(buffer))
		json_flush();
	memcpy(buffer + held, bytes, length);
	held += length;
}

static void put_text(const char *text)
{
	put(text, strlen(text));
}

static void separate(void)
{
	if (needs_comma)
		put(",", 1);
	needs_comma = false;
}

void json_open(void)
{
	separate();
	put("{", 1);
}

void json_close(void)
{
	put("}", 1);
	needs_comma = true;
}

void json_key(const char *name)
{
	json_text(name);
	put(":", 1);
	needs_comma = false;
}

static void put_formatted(const char *format, unsigned value)
{
	char text[16];
	put(text, (size_t)snprintf(text, sizeof(text), format, value));
}

/* Writes one character and returns its length in bytes. */
static size_t put_character(const unsigned char *text)
{
	size_t length = utf8_length(text);
	if (length == 0)
		put_formatted("\\udc%02x", text[0]);
	else if (text[0] == '"' || text[0] == '\\')
		put_formatted("\\%c", text[0]);
	else if (text[0] < 0x20 || text[0] == 0x7f)
		put_formatted("\\u%04x", text[0]);
	else
		put((const char *)text, length);
	return length ? length : 1;
}

void json_text(const char *value)
{
	if (!value) {
		json_null();
		return;
	}
	separate();
	put("\"", 1);
	for (const unsigned char *at = (const unsigned char *)value; *at;)
		at += put_character(at);
	put("\"", 1);
	needs_comma = true;
}

static void put_value(const char *text)
{
	separate();
	put_text(text);
	needs_comma = true;
}

void json_uint(uint64_t value)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_value(text);
}

void json_int(int64_t value)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRId64, value);
	put_value(text);
}

void json_u64(uint64_t value)
{
	char text[24];
	snprintf(text, sizeof(text), "\"%" PRIu64 "\"", value);
	put_value(text);
}

void json_bool(bool value)
{
	put_value(value ? "true" : "false");
}

void json_null(void)
{
	put_value("null");
}

void json_list(const struct list *list)
{
	separate();
	put("[", 1);
	for (size_t i = 0; i < list->count; i++)
		json_text(list->items[i]);
	put("]", 1);
	needs_comma = true;
}

void json_begin(int version, const char *kind)
{
	needs_comma = false;
	json_open();
	json_key("v");
	json_int(version);
	json_key("kind");
	json_text(kind);
}

void json_end(void)
{
	put_text("}\n");
	records++;
}

void json_finish(bool ok)
{
	emit_end(&(struct end_record){.ok = ok, .records = records});
	json_flush();
}
