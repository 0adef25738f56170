#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failure.h"
#include "memory.h"
#include "path.h"
#include "socket.h"

struct place place_find(int root, const char *kubelet_root, const char *name)
{
	const char *registry = path_join(kubelet_root, "plugins_registry");
	const char *slash = strrchr(name, '/');
	int directory = path_open(root, registry, PATH_FOLLOW);
	if (directory < 0)
		fail_errno("open plugins_registry", registry);
	if (slash) {
		int parent = directory;
		directory = path_open(parent, memory_copy_bytes(name, (size_t)(slash - name)), PATH_REFUSE);
		close(parent);
	}
	if (directory < 0)
		fail_errno("open a directory in plugins_registry", path_join(registry, name));
	return (struct place){directory, slash ? slash + 1 : name, path_join(registry, name)};
}

bool place_stat(const struct place *place, const char *last, struct stat *stat)
{
	return fstatat(place->directory, last, stat, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
}

struct stat place_must_be_socket(const struct place *place, const char *last)
{
	struct stat stat;
	if (!place_stat(place, last, &stat))
		fail_errno("look at a socket", place->path);
	if (S_ISLNK(stat.st_mode))
		fail(ERROR_CODE_SYMLINK, "it is a symbolic link", place->path);
	if (!S_ISSOCK(stat.st_mode))
		fail(ERROR_CODE_NOT_SOCKET, "it is no socket", place->path);
	return stat;
}

int place_connect(const struct place *place, int milliseconds)
{
	int socket = path_open(place->directory, place->last, PATH_REFUSE);
	if (socket < 0)
		return -1;
	int connected = socket_connect(socket, milliseconds);
	int number = errno;
	close(socket);
	errno = number;
	return connected;
}

bool place_rename(const struct place *place, const char *from, const char *to)
{
	int directory = place->directory;
	struct stat stat;
	if (syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE) == 0)
		return true;
	/* 9p and NFS know no flags of rename: the next best is to look first. */
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (place_stat(place, to, &stat)) {
		errno = EEXIST;
		return false;
	}
	return errno == ENOENT && renameat(directory, from, directory, to) == 0;
}

void place_must_not_be_hidden(const struct place *place)
{
	if (place->last[0] == '.')
		fail(ERROR_CODE_USAGE, "kubelet ignores names that begin with a dot", place->path);
}
