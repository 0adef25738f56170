#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "layers.h"
#include "memory.h"
#include "namespace.h"
#include "path.h"

/* Kubelet makes the folders of staging paths with this mode (pkg/volume/csi/csi_attacher.go, MountDevice). */
enum { DEADLINE = 5000, MODE = 0750 };

struct making {
	const struct make_directory_arguments *arguments;
	bool made;
};

/* The directory of that name, made where it is missing; nobody else's is changed. */
static int enter(struct making *making, int directory, const char *name)
{
	int entered = path_open(directory, name, PATH_REFUSE);
	if (entered >= 0 || errno != ENOENT)
		return entered;
	if (mkdirat(directory, name, MODE) == 0)
		making->made = true;
	else if (errno != EEXIST)
		return -1;
	return path_open(directory, name, PATH_REFUSE);
}

static void make(void *context)
{
	struct making *making = context;
	const char *path = making->arguments->path;
	int root = namespace_enter(making->arguments->at, making->arguments->start_ticks);
	int directory = path_open(root, making->arguments->root, PATH_FOLLOW);
	if (directory < 0)
		fail_errno("open kubelet's root", making->arguments->root);
	char *rest = memory_copy(path + strlen(making->arguments->root));
	char *left = NULL;
	for (char *name = strtok_r(rest, "/", &left); name; name = strtok_r(NULL, "/", &left)) {
		int entered = enter(making, directory, name);
		if (entered < 0)
			fail_errno("make the directory", path);
		close(directory);
		directory = entered;
	}
}

void run_make_directory(const struct make_directory_arguments *arguments)
{
	struct making *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	if (!path_is_within(arguments->path, path_join(arguments->root, "plugins")))
		fail(ERROR_CODE_USAGE, "the path is not below kubelet's plugins", arguments->path);
	bounded_must(DEADLINE, make, shared, "make a directory", arguments->path);
	emit_made(&(struct made_record){.path = arguments->path, .made = shared->made});
}
