#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "bounded.h"
#include "clock.h"
#include "failure.h"
#include "memory.h"
#include "path.h"

enum { EVENTS_A_ROUND = 4, ROUND_DEADLINE = 250, DEADLINE = 15000, CLEAN_DEADLINE = 2000 };

/* Fixed, so that what an interrupted run left is taken away by the next; kubelet ignores dot-names. */
static const char file_name[] = ".kubectl-csi-listen";
static const char other_name[] = ".kubectl-csi-listen-renamed";

struct listening {
	int root;
	const char *registry;
	struct delivery_record done;
};

static int open_registry(const struct listening *listening)
{
	int directory = path_open(listening->root, listening->registry, PATH_FOLLOW);
	if (directory < 0)
		fail_errno("open plugins_registry", listening->registry);
	return directory;
}

static void clean(void *context)
{
	int directory = open_registry(context);
	unlinkat(directory, file_name, 0);
	unlinkat(directory, other_name, 0);
}

/* Causes create, moved-from, moved-to and delete. */
static void send_round(const struct listening *listening, int directory)
{
	int file = openat(directory, file_name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		fail_errno("make a file in plugins_registry", listening->registry);
	close(file);
	if (renameat(directory, file_name, directory, other_name) < 0)
		fail_errno("rename a file in plugins_registry", listening->registry);
	if (unlinkat(directory, other_name, 0) < 0)
		fail_errno("remove a file from plugins_registry", listening->registry);
}

static unsigned count_events(struct delivery_record *done, const char *buffer, ssize_t length)
{
	unsigned count = 0;
	for (ssize_t at = 0; at < length;) {
		const struct inotify_event *event = (const void *)(buffer + at);
		done->overflowed |= (event->mask & IN_Q_OVERFLOW) != 0;
		count += event->len > 0 && strncmp(event->name, file_name, strlen(file_name)) == 0;
		at += (ssize_t)(sizeof(*event) + event->len);
	}
	return count;
}

static void receive_round(struct delivery_record *done, int inotify)
{
	_Alignas(struct inotify_event) char buffer[4096];
	int64_t start = clock_milliseconds();
	unsigned count = 0;
	while (count < EVENTS_A_ROUND) {
		struct pollfd poller = {.fd = inotify, .events = POLLIN};
		int64_t left = start + ROUND_DEADLINE - clock_milliseconds();
		if (left <= 0 || poll(&poller, 1, (int)left) <= 0)
			break;
		ssize_t length = read(inotify, buffer, sizeof(buffer));
		count += count_events(done, buffer, length);
	}
	uint64_t waited = (uint64_t)(clock_milliseconds() - start);
	done->delivered += count;
	done->slowest = waited > done->slowest ? waited : done->slowest;
}

static void listen_rounds(void *context)
{
	struct listening *listening = context;
	int directory = open_registry(listening);
	int inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	const char *path = memory_format("/proc/self/fd/%d", directory);
	if (inotify < 0 || inotify_add_watch(inotify, path, IN_CREATE | IN_MOVE | IN_DELETE) < 0)
		fail_errno("watch plugins_registry", listening->registry);
	for (uint64_t round = 0; round < listening->done.rounds; round++) {
		send_round(listening, directory);
		listening->done.sent += EVENTS_A_ROUND;
		receive_round(&listening->done, inotify);
	}
}

void run_listen(const struct listen_arguments *arguments)
{
	struct listening *shared = memory_take(sizeof(*shared));
	shared->root = path_root_of(arguments->at, arguments->start_ticks);
	shared->registry = path_join(arguments->root, "plugins_registry");
	shared->done.rounds = arguments->rounds;
	bounded_must(CLEAN_DEADLINE, clean, shared, "clean plugins_registry", shared->registry);
	bool finished = bounded_run(DEADLINE, listen_rounds, shared);
	bounded_must(CLEAN_DEADLINE, clean, shared, "clean plugins_registry", shared->registry);
	if (!finished)
		fail(ERROR_CODE_HUNG, "test the delivery of events", shared->registry);
	emit_delivery(&shared->done);
}
