#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Checks of what comes from outside; none changes its argument. */

/* A whole decimal number without sign that fits. */
bool text_number(const char *text, uint64_t *value);

/* The bytes that %NN stand for; NULL when a % is not followed by two hexadecimal digits, or on %00. */
char *text_percent_decode(const char *text);

/* No empty component, none that is "." or "..", none beyond 255 bytes; a leading slash is allowed. */
bool text_is_plain_path(const char *path);

/* 1 to 63 of A-Z a-z 0-9 . _ - and the first is a letter or a digit. */
bool text_is_word(const char *text);

/* A systemd unit's name with its suffix (systemd.unit(5)), the first character a letter or a digit. */
bool text_is_unit(const char *text);

/* MAJOR:MINOR in decimal. */
bool text_is_device(const char *text);

bool text_ends_with(const char *text, const char *suffix);

#endif
