#include "reading.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bounded.h"
#include "memory.h"
#include "path.h"

struct reading {
	int descriptor;
	enum reading_depth depth;
	bool done;
	int number;
};

static bool list(int opened)
{
	DIR *stream = fdopendir(opened);
	errno = 0;
	return stream && (readdir(stream) || errno == 0);
}

static void try_to_read(void *context)
{
	struct reading *reading = context;
	struct stat stat;
	char byte;
	int opened = -1;
	bool answered = fstat(reading->descriptor, &stat) == 0;
	if (answered && (S_ISDIR(stat.st_mode) || S_ISREG(stat.st_mode)))
		answered = (opened = path_reopen(reading->descriptor, O_RDONLY | O_NONBLOCK | O_NOATIME)) >= 0 ||
			(opened = path_reopen(reading->descriptor, O_RDONLY | O_NONBLOCK)) >= 0;
	if (answered && opened >= 0 && reading->depth == READING_CONTENT)
		answered = S_ISDIR(stat.st_mode) ? list(opened) : read(opened, &byte, 1) >= 0;
	reading->number = answered ? 0 : errno;
	reading->done = answered;
}

bool reading_answers(int milliseconds, int descriptor, enum reading_depth depth, int *number)
{
	struct reading *shared = memory_take(sizeof(*shared));
	shared->descriptor = descriptor;
	shared->depth = depth;
	bool finished = bounded_run(milliseconds, try_to_read, shared);
	*number = finished ? shared->number : 0;
	return finished && shared->done;
}
