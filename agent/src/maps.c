#include "maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The device is the fourth field, in hexadecimal; the inode that follows is 0 where no file is mapped. */
void parse_maps(const char *text, void (*visit)(const char *device, void *context), void *context)
{
	const char *end = text + strlen(text);
	for (const char *line = text; line && line < end; line = memchr(line, '\n', (size_t)(end - line))) {
		line += *line == '\n';
		unsigned major, minor;
		unsigned long long inode;
		char device[32];
		if (sscanf(line, "%*[0-9a-f]-%*[0-9a-f] %*4s %*x %x:%x %llu", &major, &minor, &inode) != 3 || inode == 0)
			continue;
		snprintf(device, sizeof(device), "%u:%u", major, minor);
		visit(device, context);
	}
}
