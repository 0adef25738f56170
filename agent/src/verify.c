#include "answer.h"
#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "namespace.h"
#include "reading.h"
#include "target.h"

enum { DEADLINE = 5000 };

struct verifying {
	const struct verify_arguments *arguments;
	struct verified_record found;
};

static void verify(void *context)
{
	struct verifying *verifying = context;
	const struct verify_arguments *arguments = verifying->arguments;
	struct verified_record *found = &verifying->found;
	int root = namespace_enter(arguments->at, arguments->start_ticks);
	struct target target = target_open(root, arguments->path);
	if (target.descriptor < 0)
		fail(ERROR_CODE_NOT_FOUND, "nothing has that name", arguments->path);
	uint64_t id = mount_id_of_descriptor(target.descriptor);
	const struct mount *holder = mount_by_id(&target.mounts, id);
	if (!holder)
		fail(ERROR_CODE_CHANGED, "it is mounted or unmounted at the same time", arguments->path);
	struct answer answer = answer_within((int)arguments->deadline, target.descriptor, holder);
	int number = 0;
	found->read = answer.state != MOUNT_STATE_HUNG &&
		reading_answers((int)arguments->deadline, target.descriptor, READING_CONTENT, &number);
	found->path = arguments->path;
	found->device = holder->device;
	found->mount_id = memory_uint(id);
	found->root = holder->root;
	found->layers = target.layers;
	found->state = answer.state;
	found->errno_ = answer_errno(answer);
	found->read_errno = number ? errno_name(number) : NULL;
}

void run_verify(const struct verify_arguments *arguments)
{
	struct verifying *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	int milliseconds = DEADLINE + 2 * (int)arguments->deadline;
	bounded_must(milliseconds, verify, shared, "look at a path", arguments->path);
	emit_verified(&shared->found);
}
