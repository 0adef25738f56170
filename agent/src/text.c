#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { MAX_COMPONENT = 255, MAX_WORD = 63, MAX_UNIT = 255 };

static const char alphanumeric[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool text_number(const char *text, uint64_t *value)
{
	if (!*text || strspn(text, "0123456789") != strlen(text))
		return false;
	errno = 0;
	*value = strtoull(text, NULL, 10);
	return errno == 0;
}

static int digit(char character)
{
	return isdigit((unsigned char)character) ? character - '0' : (character | 0x20) - 'a' + 10;
}

char *text_percent_decode(const char *text)
{
	char *decoded = memory_take(strlen(text) + 1);
	for (size_t used = 0; *text; used++) {
		if (*text != '%') {
			decoded[used] = *text++;
			continue;
		}
		if (!isxdigit((unsigned char)text[1]) || !isxdigit((unsigned char)text[2]))
			return NULL;
		decoded[used] = (char)(digit(text[1]) << 4 | digit(text[2]));
		if (decoded[used] == '\0')
			return NULL;
		text += 3;
	}
	return decoded;
}

static bool is_plain_component(const char *component, size_t length)
{
	bool dots = (length == 1 && component[0] == '.') || (length == 2 && memcmp(component, "..", 2) == 0);
	return length > 0 && length <= MAX_COMPONENT && !dots;
}

bool text_is_plain_path(const char *path)
{
	if (strlen(path) >= 4096)
		return false;
	path += *path == '/';
	for (;;) {
		size_t length = strcspn(path, "/");
		if (!is_plain_component(path, length))
			return false;
		if (!path[length])
			return true;
		path += length + 1;
	}
}

static bool consists_of(const char *text, const char *others, size_t longest)
{
	size_t length = strlen(text);
	for (size_t i = 0; i < length; i++)
		if (!strchr(alphanumeric, text[i]) && !strchr(others, text[i]))
			return false;
	return length > 0 && length <= longest && strchr(alphanumeric, text[0]);
}

bool text_is_word(const char *text)
{
	return consists_of(text, "._-", MAX_WORD);
}

bool text_is_unit(const char *text)
{
	static const char *const suffixes[] = {".service", ".mount", ".socket", ".target", ".scope", ".slice"};
	if (!consists_of(text, ":_.\\@-", MAX_UNIT))
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (text_ends_with(text, suffixes[i]))
			return true;
	return false;
}

bool text_is_device(const char *text)
{
	size_t major = strspn(text, "0123456789");
	size_t minor = text[major] == ':' ? strspn(text + major + 1, "0123456789") : 0;
	return major > 0 && minor > 0 && !text[major + 1 + minor];
}

bool text_ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), size = strlen(suffix);
	return length >= size && strcmp(text + length - size, suffix) == 0;
}
