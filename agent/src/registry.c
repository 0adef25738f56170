#include "registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bounded.h"
#include "clock.h"
#include "failure.h"
#include "memory.h"
#include "path.h"
#include "socket.h"

enum {
	MAX_ENTRIES = 1024,
	MAX_DEPTH = 8,
	LIST_DEADLINE = 5000,
	CONNECT_DEADLINE = 500,
	CONNECT_BUDGET = 10000, /* for all sockets of one directory */
	PERMISSIONS = 07777,
};

/* Lies in shared memory: what was listed before a hang is still told. */
struct listing {
	int root;
	const char *registry;
	struct entries_record total;
	struct entry_record entries[MAX_ENTRIES];
};

static enum entry_type type_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFSOCK:
		return ENTRY_TYPE_SOCKET;
	case S_IFDIR:
		return ENTRY_TYPE_DIRECTORY;
	case S_IFREG:
		return ENTRY_TYPE_FILE;
	case S_IFLNK:
		return ENTRY_TYPE_SYMLINK;
	default:
		return ENTRY_TYPE_OTHER;
	}
}

static void describe(struct entry_record *entry, int directory, const char *last)
{
	struct stat stat;
	entry->hidden = last[0] == '.';
	if (fstatat(directory, last, &stat, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0) {
		entry->type = ENTRY_TYPE_UNREADABLE;
		entry->errno_ = errno_name(errno);
		return;
	}
	entry->type = type_of(stat.st_mode);
	entry->inode = memory_uint(stat.st_ino);
	entry->device = path_device(stat.st_dev);
	entry->mode = memory_uint(stat.st_mode & PERMISSIONS);
	entry->uid = memory_uint(stat.st_uid);
	entry->mtime = memory_int(stat.st_mtime);
}

static void list_below(struct listing *listing, int directory, const char *prefix, int depth)
{
	DIR *stream = fdopendir(directory);
	if (!stream)
		fail_errno("list a directory", listing->registry);
	for (struct dirent *found; (found = readdir(stream));) {
		const char *last = found->d_name;
		if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
			continue;
		if (listing->total.count == MAX_ENTRIES) {
			listing->total.truncated = true;
			break;
		}
		struct entry_record *entry = &listing->entries[listing->total.count];
		*entry = (struct entry_record){.at = listing->total.at, .root = listing->total.root};
		entry->name = memory_format("%s%s", prefix, last);
		describe(entry, directory, last);
		listing->total.count++;
		int below = entry->type == ENTRY_TYPE_DIRECTORY && depth < MAX_DEPTH
			? openat(directory, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
		if (below >= 0)
			list_below(listing, below, memory_format("%s/", entry->name), depth + 1);
	}
	closedir(stream);
}

static void list(void *context)
{
	struct listing *listing = context;
	int found = path_open(listing->root, listing->registry, PATH_FOLLOW);
	int directory = found < 0 ? -1 : path_reopen(found, O_RDONLY | O_DIRECTORY);
	if (directory < 0) {
		listing->total.state = errno == ENOENT ? PRESENCE_ABSENT
			: errno == ENOTDIR ? PRESENCE_NOT_DIRECTORY : PRESENCE_UNREADABLE;
		return;
	}
	listing->total.state = PRESENCE_PRESENT;
	list_below(listing, directory, "", 1);
}

struct attempt {
	int root;
	const char *path;
	struct entry_record *entry;
};

static void attempt(void *context)
{
	const struct attempt *attempt = context;
	int socket = path_open(attempt->root, attempt->path, PATH_FOLLOW);
	int connected = socket < 0 ? -1 : socket_connect(socket, CONNECT_DEADLINE);
	enum connection *connection = (enum connection *)attempt->entry->connection;
	if (connected >= 0) {
		attempt->entry->peer = socket_peer(connected);
		*connection = CONNECTION_ACCEPTED;
	} else if (errno != EAGAIN) {
		attempt->entry->connect_errno = errno_name(errno);
		*connection = errno == ECONNREFUSED ? CONNECTION_REFUSED : CONNECTION_FAILED;
	}
}

/* Connects in a child: looking up the path may hang too. Beyond the budget a socket counts as hung. */
static void judge_socket(struct listing *listing, struct entry_record *entry, int64_t deadline)
{
	enum connection *connection = memory_take(sizeof(*connection));
	struct attempt *shared = memory_take(sizeof(*shared));
	*connection = CONNECTION_HUNG;
	entry->connection = connection;
	*shared = (struct attempt){listing->root, path_join(listing->registry, entry->name), entry};
	if (clock_milliseconds() < deadline)
		bounded_run(CONNECT_DEADLINE + 100, attempt, shared);
}

void registry_entries(pid_t at, int root, const char *kubelet_root, const char *registry)
{
	struct listing *listing = memory_take(sizeof(*listing));
	listing->root = root;
	listing->registry = registry;
	listing->total = (struct entries_record){.at = (uint64_t)at, .root = kubelet_root};
	if (!bounded_run(LIST_DEADLINE, list, listing))
		listing->total.state = PRESENCE_HUNG;
	int64_t deadline = clock_milliseconds() + CONNECT_BUDGET;
	for (size_t i = 0; i < listing->total.count; i++) {
		struct entry_record *entry = &listing->entries[i];
		if (entry->type == ENTRY_TYPE_SOCKET)
			judge_socket(listing, entry, deadline);
		emit_entry(entry);
	}
	emit_entries(&listing->total);
}
