#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"
#include "memory.h"
#include "path.h"

enum { MAX_TEXT = 64 << 10 };

struct folder folder_enter(const struct folder *folder, const char *name, const struct mount_table *mounts)
{
	struct folder entered = {-1, path_join(folder->path, name)};
	struct stat stat;
	int found = folder->descriptor < 0 ? -1 : openat(folder->descriptor, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (found < 0)
		return entered;
	const struct mount *mount = mount_by_id(mounts, mount_id_of_descriptor(found));
	if (mount && !can_die(mount) && fstat(found, &stat) == 0 && S_ISDIR(stat.st_mode))
		entered.descriptor = found;
	else
		close(found);
	return entered;
}

bool folder_each(const struct folder *folder, bool (*visit)(const char *name, void *context), void *context)
{
	int directory = folder->descriptor < 0 ? -1 : path_reopen(folder->descriptor, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
	DIR *stream = directory < 0 ? NULL : fdopendir(directory);
	bool go_on = stream;
	for (struct dirent *entry; go_on && (entry = readdir(stream));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			go_on = visit(entry->d_name, context);
	if (stream)
		closedir(stream);
	return go_on;
}

const char *folder_read(const struct folder *folder, const char *name)
{
	struct stat stat;
	int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int file = folder->descriptor < 0 ? -1 : openat(folder->descriptor, name, flags);
	char *text = NULL;
	if (file >= 0 && fstat(file, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_size <= MAX_TEXT) {
		text = memory_take(MAX_TEXT + 1);
		ssize_t length = read(file, text, MAX_TEXT);
		text = length < 0 ? NULL : memory_grow(text, 0, (size_t)length + 1);
	}
	if (file >= 0)
		close(file);
	return text;
}

void folder_leave(const struct folder *folder)
{
	if (folder->descriptor >= 0)
		close(folder->descriptor);
}
