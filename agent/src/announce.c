#include "announce.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "bounded.h"
#include "crash.h"
#include "failure.h"
#include "memory.h"
#include "path.h"

enum { DEADLINE = 5000 };

void announce_by_rename(const struct place *place)
{
	const char *dot_name = memory_format(".%s", place->last);
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!place_rename(place, place->last, dot_name))
		fail_errno("rename to the dot-name", place->path);
	crash_point("between-renames");
	if (!place_rename(place, dot_name, place->last))
		fail_errno("rename back from the dot-name", place->path);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

struct announcing {
	int root;
	const struct announce_arguments *arguments;
	struct announced_record done;
};

/* Puts the lone dot-name of an interrupted run back; false when the name itself is there. */
static bool restore_lone(const struct place *place)
{
	struct stat stat;
	const char *dot_name = memory_format(".%s", place->last);
	if (place_stat(place, place->last, &stat) || errno != ENOENT)
		return false;
	place_must_be_socket(place, dot_name);
	if (!place_rename(place, dot_name, place->last))
		fail_errno("rename back from the dot-name", place->path);
	return true;
}

static void announce(void *context)
{
	struct announcing *announcing = context;
	const struct announce_arguments *arguments = announcing->arguments;
	struct place place = place_find(announcing->root, arguments->root, arguments->name);
	place_must_not_be_hidden(&place);
	bool restored = restore_lone(&place);
	struct stat before = place_must_be_socket(&place, place.last);
	if (!restored)
		announce_by_rename(&place);
	struct stat after = place_must_be_socket(&place, place.last);
	if (before.st_ino != after.st_ino || before.st_dev != after.st_dev)
		fail(ERROR_CODE_CHANGED, "another socket has the name now", place.path);
	announcing->done = (struct announced_record){
		.path = place.path,
		.inode = after.st_ino,
		.action = restored ? ANNOUNCEMENT_RESTORED : ANNOUNCEMENT_ANNOUNCED,
	};
}

void run_announce(const struct announce_arguments *arguments)
{
	struct announcing *shared = memory_take(sizeof(*shared));
	shared->root = path_root_of(arguments->at, arguments->start_ticks);
	shared->arguments = arguments;
	bounded_must(DEADLINE, announce, shared, "rename a socket", arguments->name);
	emit_announced(&shared->done);
}
