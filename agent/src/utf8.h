#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/*
 * Bytes of the character at the start of a NUL-terminated text, 0 when they are not valid UTF-8 (too long a
 * form, a surrogate, beyond U+10FFFF, cut off).
 */
static inline size_t utf8_length(const unsigned char *text)
{
	unsigned char lead = text[0];
	if (lead < 0x80)
		return 1;
	size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xf0 && text[1] < 0x90))
		return 0;
	if ((lead == 0xed && text[1] > 0x9f) || (lead == 0xf4 && text[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

#endif
