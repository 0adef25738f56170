#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"
#include "failure.h"
#include "host.h"
#include "inotify.h"
#include "kubelet.h"
#include "memory.h"
#include "mountinfo.h"
#include "path.h"
#include "registry.h"

static const char default_root[] = "/var/lib/kubelet";

struct observed_root {
	pid_t at;
	uint64_t start_ticks;
	const struct process_record *kubelet;
	enum origin origin;
	const char *path;
};

static void observe_root(const struct observed_root *observed)
{
	const char *registry = path_join(observed->path, "plugins_registry");
	struct root_record record = {
		.at = (uint64_t)observed->at,
		.kubelet = observed->kubelet ? &observed->kubelet->pid : NULL,
		.origin = observed->origin,
	};
	int descriptor = path_try_root_of(observed->at, observed->start_ticks);
	if (descriptor < 0) {
		const char *reason = errno_name(errno);
		record.directory = (struct directory){.path = observed->path, .state = PRESENCE_UNREADABLE, .errno_ = reason};
		record.registry = (struct directory){.path = registry, .state = PRESENCE_UNREADABLE, .errno_ = reason};
		emit_root(&record);
		return;
	}
	struct mount_table mounts = mountinfo_of(observed->at);
	record.directory = directory_describe(descriptor, &mounts, observed->path);
	record.registry = directory_describe(descriptor, &mounts, registry);
	emit_root(&record);
	if (record.registry.state == PRESENCE_PRESENT)
		registry_entries(observed->at, descriptor, observed->path, registry);
	close(descriptor);
}

static const char *observe_kubelet(const struct process_record *kubelet)
{
	const char *flag = kubelet_root_flag(&kubelet->argv);
	struct observed_root observed = {
		.at = (pid_t)kubelet->pid,
		.start_ticks = kubelet->start_ticks,
		.kubelet = kubelet,
		.origin = flag ? ORIGIN_FLAG : ORIGIN_DEFAULT,
		.path = flag ? flag : default_root,
	};
	emit_process(kubelet);
	inotify_watches((pid_t)kubelet->pid);
	observe_root(&observed);
	return observed.path;
}

/* A hint is looked at through the first kubelet's eyes, or PID 1's. */
static void observe_hint(const char *path, const struct kubelet_list *kubelets)
{
	const struct process_record *eyes = kubelets->count > 0 ? &kubelets->items[0] : NULL;
	struct observed_root observed = {
		.at = eyes ? (pid_t)eyes->pid : 1,
		.start_ticks = eyes ? eyes->start_ticks : 0,
		.origin = ORIGIN_HINT,
		.path = path,
	};
	observe_root(&observed);
}

static void observe_users(const struct kubelet_list *kubelets)
{
	for (size_t i = 0; i < kubelets->count; i++) {
		size_t first = 0;
		while (kubelets->items[first].uid != kubelets->items[i].uid)
			first++;
		if (first == i)
			inotify_usage(kubelets->items[i].uid);
	}
}

void run_observe(const struct observe_arguments *arguments)
{
	host_hello();
	struct kubelet_list kubelets = kubelet_find(&arguments->names);
	const char **seen = memory_take((kubelets.count + 1) * sizeof(*seen));
	for (size_t i = 0; i < kubelets.count; i++)
		seen[i] = observe_kubelet(&kubelets.items[i]);
	for (size_t i = 0; i < arguments->root.count; i++) {
		bool known = false;
		for (size_t j = 0; j < kubelets.count; j++)
			known |= strcmp(seen[j], arguments->root.items[i]) == 0;
		if (!known)
			observe_hint(arguments->root.items[i], &kubelets);
	}
	inotify_limits();
	observe_users(&kubelets);
	host_facts(path_try_root_of(1, 0));
}
