#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "bounded.h"
#include "failure.h"
#include "fusectl.h"
#include "layers.h"
#include "memory.h"
#include "path.h"

enum { DEADLINE = 5000 };

struct aborting {
	const struct abort_arguments *arguments;
	int root;
	const struct mount *mount;
	bool reached;
	struct answer answer;
	const uint64_t *waiting;
};

static const struct mount *find_mount(const struct mount_table *table, const char *device)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->mounts[i].device, device) == 0 && layer_is_visible(table, &table->mounts[i]))
			return &table->mounts[i];
	fail(ERROR_CODE_NOT_FOUND, "no mount of that device is visible there", device);
}

static void ask(void *context)
{
	struct aborting *aborting = context;
	int opened = path_open(aborting->root, aborting->mount->mount_point, PATH_REFUSE);
	aborting->reached = opened >= 0 && mount_id_of_descriptor(opened) == aborting->mount->id;
	if (aborting->reached)
		aborting->answer = answer_of(opened, aborting->mount);
}

static void must_be_hung(struct aborting *aborting)
{
	const char *path = aborting->mount->mount_point;
	if (!bounded_run((int)aborting->arguments->deadline, ask, aborting))
		return;
	if (aborting->reached && aborting->answer.state == MOUNT_STATE_DEAD)
		fail(ERROR_CODE_ALREADY, "it is dead, there is nothing to abort", path);
	if (aborting->arguments->force)
		return;
	if (aborting->reached && aborting->answer.state == MOUNT_STATE_ALIVE)
		fail(ERROR_CODE_ALIVE, "the mount answers", path);
	fail(ERROR_CODE_UNSEEN, "whether it is hung can't be told", path);
}

static void abort_connection(void *context)
{
	struct aborting *aborting = context;
	const char *device = aborting->arguments->device;
	aborting->waiting = fusectl_waiting(aborting->root, device);
	int control = fusectl_open(aborting->root, device, "abort", O_WRONLY);
	if (control < 0 || write(control, "1", 1) != 1)
		fail_errno("abort a FUSE connection", aborting->mount->mount_point);
	close(control);
}

void run_abort(const struct abort_arguments *arguments)
{
	struct aborting *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	shared->root = path_root_of(arguments->at, arguments->start_ticks);
	struct mount_table table = mountinfo_of(arguments->at);
	shared->mount = find_mount(&table, arguments->device);
	if (!is_fuse(shared->mount))
		fail(ERROR_CODE_UNSUPPORTED, "only a FUSE connection can be aborted", shared->mount->mount_point);
	must_be_hung(shared);
	bounded_must(DEADLINE, abort_connection, shared, "abort a FUSE connection", shared->mount->mount_point);
	emit_aborted(&(struct aborted_record){.device = arguments->device, .waiting = shared->waiting});
}
