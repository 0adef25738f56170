#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "path.h"
#include "place.h"

enum { DEADLINE = 5000, CONNECT_DEADLINE = 500 };

static const char mark[] = ".stale-";

struct retiring {
	int root;
	const char *kubelet_root;
	const char *name;
	struct renamed_record done;
};

static const char *sibling(const char *name, const char *last)
{
	const char *slash = strrchr(name, '/');
	return slash ? memory_format("%.*s/%s", (int)(slash - name), name, last) : last;
}

static void rename_to(struct retiring *retiring, const struct place *place, const char *last)
{
	struct stat stat = place_must_be_socket(place, place->last);
	if (!place_rename(place, place->last, last))
		fail_errno("rename a socket", place->path);
	retiring->done = (struct renamed_record){retiring->name, sibling(retiring->name, last), stat.st_ino};
}

static void retire(void *context)
{
	struct retiring *retiring = context;
	struct place place = place_find(retiring->root, retiring->kubelet_root, retiring->name);
	place_must_not_be_hidden(&place);
	place_must_be_socket(&place, place.last);
	if (place_connect(&place, CONNECT_DEADLINE) >= 0 || errno == EAGAIN)
		fail(ERROR_CODE_IN_USE, "somebody listens on it", place.path);
	if (errno != ECONNREFUSED)
		fail_errno("connect to a socket", place.path);
	rename_to(retiring, &place, memory_format(".%s%s%lld", place.last, mark, (long long)time(NULL)));
}

/* What a dot-name of ours was before: ".NAME" or ".NAME.stale-DIGITS". */
static const char *name_before(const struct place *place)
{
	if (place->last[0] != '.' || !place->last[1])
		fail(ERROR_CODE_USAGE, "only a name that begins with a dot can be restored", place->path);
	size_t length = strlen(place->last);
	size_t digits = 0;
	while (digits < length && strchr("0123456789", place->last[length - digits - 1]))
		digits++;
	size_t before = length - digits - strlen(mark);
	if (digits > 0 && length > digits + strlen(mark) + 1 && strncmp(place->last + before, mark, strlen(mark)) == 0)
		length = before;
	return memory_copy_bytes(place->last + 1, length - 1);
}

static void restore(void *context)
{
	struct retiring *retiring = context;
	struct place place = place_find(retiring->root, retiring->kubelet_root, retiring->name);
	rename_to(retiring, &place, name_before(&place));
}

static void run(void (*body)(void *), const struct retiring *retiring)
{
	struct retiring *shared = memory_take(sizeof(*shared));
	*shared = *retiring;
	bounded_must(DEADLINE, body, shared, "rename a socket", retiring->name);
	emit_renamed(&shared->done);
}

void run_retire(const struct retire_arguments *arguments)
{
	int root = path_root_of(arguments->at, arguments->start_ticks);
	run(retire, &(struct retiring){.root = root, .kubelet_root = arguments->root, .name = arguments->name});
}

void run_restore(const struct restore_arguments *arguments)
{
	int root = path_root_of(arguments->at, arguments->start_ticks);
	run(restore, &(struct retiring){.root = root, .kubelet_root = arguments->root, .name = arguments->name});
}
