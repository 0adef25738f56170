#include "survey.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "layers.h"
#include "memory.h"
#include "parallel.h"
#include "path.h"
#include "selection.h"

/* A mount on the way to another that can die, and was not seen alive, bars it. */
enum passage { OPEN, BARRED, UNDECIDED };

static const struct sighting *sighting_of(const struct survey *survey, const struct mount *mount)
{
	for (size_t i = 0; i < survey->count; i++)
		if (survey->items[i].mount == mount)
			return &survey->items[i];
	return NULL;
}

static enum passage passage_to(const struct survey *survey, const struct sighting *sighting)
{
	const struct mount_table *table = &sighting->view->mounts;
	const struct mount *mount = sighting->mount;
	enum passage passage = OPEN;
	for (size_t steps = 0; steps < table->count; steps++) {
		const struct mount *parent = mount_by_id(table, mount->parent);
		if (!parent || parent == mount)
			break;
		/* Looking up a layer's mount point asks nothing of the layers beneath it. */
		bool crossed = can_die(parent) && strcmp(parent->mount_point, mount->mount_point) != 0;
		const struct sighting *on_the_way = crossed ? sighting_of(survey, parent) : NULL;
		if (on_the_way && on_the_way->device->known && on_the_way->device->answer.state != MOUNT_STATE_ALIVE)
			return BARRED;
		if (on_the_way && !on_the_way->device->known)
			passage = UNDECIDED;
		mount = parent;
	}
	return passage;
}

struct question {
	struct sighting *sighting;
	int root;
	struct answer answer;
	bool missed; /* the path leads elsewhere: somebody mounts meanwhile */
};

struct round {
	struct question *questions;
	size_t count;
};

static void ask(size_t index, void *context)
{
	struct question *question = &((struct round *)context)->questions[index];
	const struct mount *mount = question->sighting->mount;
	int descriptor = path_open(question->root, mount->mount_point, PATH_REFUSE);
	if (descriptor < 0)
		question->missed = true;
	else if (mount_id_of_descriptor(descriptor) != mount->id)
		question->missed = true;
	else
		question->answer = answer_of(descriptor, mount);
}

static bool is_asked(const struct round *round, const struct device *device)
{
	for (size_t i = 0; i < round->count; i++)
		if (round->questions[i].sighting->device == device)
			return true;
	return false;
}

/* Those that can be asked now, one per file system. */
static struct round next_round(struct survey *survey, size_t devices)
{
	struct round round = {.questions = memory_take(devices * sizeof(struct question))};
	for (size_t i = 0; i < survey->count; i++) {
		struct sighting *sighting = &survey->items[i];
		if (sighting->tried || !sighting->visible || sighting->device->known || is_asked(&round, sighting->device))
			continue;
		if (passage_to(survey, sighting) != OPEN)
			continue;
		sighting->tried = true;
		pid_t pid = (pid_t)sighting->view->namespace.pid;
		int root = path_try_root_of(pid, sighting->view->namespace.start_ticks);
		if (root >= 0)
			round.questions[round.count++] = (struct question){.sighting = sighting, .root = root};
	}
	return round;
}

static void conclude(struct question *question, bool finished)
{
	struct device *device = question->sighting->device;
	close(question->root);
	if (finished && question->missed) {
		question->sighting->visible = false;
		return;
	}
	device->known = true;
	device->answer = finished ? question->answer : (struct answer){MOUNT_STATE_HUNG, 0};
}

struct survey survey_make(const struct view_list *views, const char *root, int milliseconds)
{
	size_t devices = 0;
	struct survey survey = selection_make(views, root, &devices);
	for (size_t i = 0; i < survey.count; i++)
		survey.items[i].visible = layer_is_visible(&survey.items[i].view->mounts, survey.items[i].mount);
	for (;;) {
		struct round round = next_round(&survey, devices);
		bool *finished = memory_take(round.count + 1);
		if (round.count == 0)
			break;
		parallel_run(milliseconds, round.count, ask, &round, finished);
		memory_adopt();
		for (size_t i = 0; i < round.count; i++)
			conclude(&round.questions[i], finished[i]);
	}
	for (size_t i = 0; i < survey.count; i++)
		survey.items[i].visible = survey.items[i].visible && passage_to(&survey, &survey.items[i]) == OPEN;
	return survey;
}
