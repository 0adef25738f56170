#ifndef JSON_H
#define JSON_H

#include "protocol.gen.h"

/*
 * Writes records to standard output, one JSON object a line, as protocol.gen.c asks. Byte strings: valid
 * UTF-8 as it is, any other byte 0xNN as the lone surrogate \udcNN.
 */

void json_begin(int version, const char *kind);
void json_end(void);
void json_open(void);
void json_close(void);
void json_key(const char *name);
void json_text(const char *value);
void json_uint(uint64_t value);
void json_int(int64_t value);
void json_u64(uint64_t value);
void json_bool(bool value);
void json_null(void);
void json_list(const struct list *list);

/* Writes to another descriptor from now on. */
void json_to(int descriptor);

/* Writes the end record and everything that is still held back. */
void json_finish(bool ok);

/* Hands over what is held back. Errors are ignored: the reader may be gone, the work goes on. */
void json_flush(void);

#endif
