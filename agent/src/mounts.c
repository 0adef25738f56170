#include <string.h>

#include "bounded.h"
#include "clock.h"
#include "failure.h"
#include "fusectl.h"
#include "host.h"
#include "layers.h"
#include "memory.h"
#include "path.h"
#include "survey.h"
#include "volumes.h"

enum { ROOT_DEADLINE = 2000, WALK_DEADLINE = 10000 };

struct looking {
	int top;
	const char *path;
	const char *real_path;
};

static void find_root(void *context)
{
	struct looking *looking = context;
	int root = path_open(looking->top, looking->path, PATH_FOLLOW);
	if (root < 0)
		fail_errno("open kubelet's root", looking->path);
	looking->real_path = path_of_descriptor(root);
}

struct waiting {
	int root;
	const char *device;
	const uint64_t *waiting;
};

static void count_waiting(void *context)
{
	struct waiting *waiting = context;
	waiting->waiting = fusectl_waiting(waiting->root, waiting->device);
}

/* One question per device; the answer is kept for its other mounts. */
static const uint64_t *waiting_of(int root, const struct sighting *sighting, int milliseconds)
{
	struct waiting *shared = memory_take(sizeof(*shared));
	*shared = (struct waiting){.root = root, .device = sighting->mount->device};
	bool answered = is_fuse(sighting->mount) && bounded_run(milliseconds, count_waiting, shared);
	return answered ? shared->waiting : NULL;
}

static void describe(const struct sighting *sighting, const uint64_t *waiting)
{
	const struct mount_table *table = &sighting->view->mounts;
	struct mount mount = *sighting->mount;
	size_t mark = layer_deleted_mark(mount.root);
	mount.root = memory_copy_bytes(mount.root, strlen(mount.root) - mark);
	struct answer answer = sighting->device->known ? sighting->device->answer
		: (struct answer){MOUNT_STATE_UNSEEN, 0};
	if (!sighting->visible)
		answer = (struct answer){MOUNT_STATE_HIDDEN, 0};
	emit_volume_mount(&(struct volume_mount_record){
		.namespace = sighting->view->namespace.inode,
		.mount = mount,
		.deleted = mark > 0,
		.layers = layer_count(table, sighting->mount),
		.position = layer_position(table, sighting->mount),
		.state = answer.state,
		.errno_ = answer_errno(answer),
		.waiting = waiting,
	});
}

static void emit_survey(const struct survey *survey, int root, int milliseconds)
{
	const uint64_t **waiting = memory_take((survey->count + 1) * sizeof(*waiting));
	for (size_t i = 0; i < survey->count; i++) {
		size_t first = 0;
		while (survey->items[first].device != survey->items[i].device)
			first++;
		waiting[i] = first < i ? waiting[first] : waiting_of(root, &survey->items[i], milliseconds);
		describe(&survey->items[i], waiting[i]);
	}
}

static void emit_volumes(const struct volumes *volumes)
{
	for (size_t i = 0; i < volumes->volume_count; i++)
		emit_volume(&volumes->volumes[i]);
	for (size_t i = 0; i < volumes->staged_count; i++)
		emit_staged(&volumes->staged[i]);
	for (size_t i = 0; i < volumes->subpath_count; i++)
		emit_subpath(&volumes->subpaths[i]);
	for (size_t i = 0; i < volumes->block_count; i++)
		emit_block_volume(&volumes->blocks[i]);
}

void run_mounts(const struct mounts_arguments *arguments)
{
	int64_t start = clock_milliseconds();
	int milliseconds = (int)arguments->deadline;
	struct looking *looking = memory_take(sizeof(*looking));
	looking->top = path_root_of(arguments->at, arguments->start_ticks);
	looking->path = arguments->root;
	host_hello();
	bounded_must(ROOT_DEADLINE, find_root, looking, "open kubelet's root", arguments->root);
	struct view_list views = views_find(arguments->at);
	for (size_t i = 0; i < views.count; i++)
		emit_namespace(&views.items[i].namespace);
	struct survey survey = survey_make(&views, looking->real_path, milliseconds);
	emit_survey(&survey, looking->top, milliseconds);
	struct volumes *volumes =
		volumes_read(looking->top, looking->real_path, &views.items[0].mounts, WALK_DEADLINE);
	emit_volumes(volumes);
	emit_mount_counts(&(struct mount_counts_record){
		.namespaces = views.count,
		.processes = views.processes,
		.unreadable = views.unreadable,
		.mounts = survey.count,
		.truncated = views.truncated || survey.truncated || volumes->truncated,
		.milliseconds = (uint64_t)(clock_milliseconds() - start),
	});
}
