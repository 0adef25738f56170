#ifndef READING_H
#define READING_H

#include <stdbool.h>

enum reading_depth {
	READING_OPENS, /* it can be opened */
	READING_CONTENT, /* and its content be read */
};

/*
 * Whether a directory can be listed, or a byte of a file read, through an O_PATH descriptor; asked in a child
 * process. *number is its errno, 0 when it answered or did not in so many milliseconds. Files that are
 * neither, such as devices, are not opened: they answer.
 */
bool reading_answers(int milliseconds, int descriptor, enum reading_depth depth, int *number);

#endif
