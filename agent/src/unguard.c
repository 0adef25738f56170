#include "bounded.h"
#include "failure.h"
#include "guard.h"
#include "memory.h"
#include "namespace.h"
#include "survey.h"
#include "target.h"

enum { DEADLINE = 10000 };

struct unguarding {
	const struct unguard_arguments *arguments;
	struct unguarded_record done;
};

static void unguard(void *context)
{
	struct unguarding *unguarding = context;
	const struct unguard_arguments *arguments = unguarding->arguments;
	int root = namespace_enter(arguments->at, arguments->start_ticks);
	struct target target = target_open_within(root, arguments->root, arguments->target);
	if (target.descriptor < 0)
		fail(ERROR_CODE_NOT_FOUND, "nothing has that name", arguments->target);
	int bare = target.mount ? guard_reveal(target.parent, target.last) : target.descriptor;
	if (bare < 0)
		fail_errno("reach the directory beneath the mount", arguments->target);
	unguarding->done.target = arguments->target;
	unguarding->done.layers = target.layers;
	if (guard_is_on(bare) == 1 && !guard_set(bare, false, &unguarding->done.changed))
		fail_errno("take the immutable flag off", arguments->target);
}

void run_unguard(const struct unguard_arguments *arguments)
{
	struct unguarding *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	if (!is_kubelet_csi_path(arguments->target, arguments->root))
		fail(ERROR_CODE_USAGE, "not a publish target or staging path below kubelet's root", arguments->target);
	bounded_must(DEADLINE, unguard, shared, "take the immutable flag off", arguments->target);
	emit_unguarded(&shared->done);
}
