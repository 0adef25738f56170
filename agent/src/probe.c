#include <errno.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"

struct probing {
	const struct probe_arguments *arguments;
	size_t reached; /* the path that is being asked */
	int doubt; /* errno of the first answer that tells neither way */
};

/* The server of a FUSE or network file system is gone; compare answer_judge. */
static bool is_dead(int number)
{
	return number == ENOTCONN || number == ECONNABORTED || number == ESTALE || number == EHOSTDOWN;
}

static bool is_absent(int number)
{
	return number == ENOENT || number == ENOTDIR;
}

static void judge(struct probing *probing, const char *path, int number)
{
	if (is_dead(number) || is_absent(number))
		fail_with(&(struct failure){.code = is_dead(number) ? ERROR_CODE_DEAD : ERROR_CODE_NOT_FOUND,
			.number = number, .what = is_dead(number) ? "the mount is dead" : "there is no such path", .path = path});
	if (number != 0 && number != ENOSYS && probing->doubt == 0)
		probing->doubt = number;
}

/*
 * statfs always asks the server; open is what the app does next, and finds a server that answers statfs from
 * memory. Nothing is listed: a directory may be huge.
 */
static void ask(struct probing *probing, const char *path)
{
	struct statfs statfs_;
	judge(probing, path, statfs(path, &statfs_) < 0 ? errno : 0);
	int opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	judge(probing, path, opened < 0 ? errno : 0);
	if (opened >= 0)
		close(opened);
}

static void probe(void *context)
{
	struct probing *probing = context;
	const struct list *paths = &probing->arguments->path;
	for (; probing->reached < paths->count; probing->reached++)
		ask(probing, paths->items[probing->reached]);
}

void run_probe(const struct probe_arguments *arguments)
{
	struct probing *shared = memory_take(sizeof(*shared));
	shared->arguments = arguments;
	if (!bounded_run((int)arguments->deadline, probe, shared))
		fail(ERROR_CODE_HUNG, "the mount did not answer in time", arguments->path.items[shared->reached]);
	emit_probed(&(struct probed_record){
		.paths = arguments->path.count,
		.errno_ = shared->doubt ? errno_name(shared->doubt) : NULL,
	});
}
