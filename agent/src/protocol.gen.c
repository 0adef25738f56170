/* Generated from protocol.json by scripts/generate-protocol.mjs. Do not edit. */
#include "protocol.gen.h"

#include "json.h"

const char *const presence_names[] = {"present", "absent", "not-directory", "hung", "unreadable", NULL};

const char *const origin_names[] = {"flag", "default", "hint", NULL};

const char *const entry_type_names[] = {"socket", "directory", "file", "symlink", "other", "unreadable", NULL};

const char *const connection_names[] = {"accepted", "refused", "failed", "hung", NULL};

const char *const verb_names[] = {"show", "is-active", "restart", "start", "stop", "enable", "disable", "daemon-reload", NULL};

const char *const signal_names[] = {"TERM", "KILL", NULL};

const char *const announcement_names[] = {"announced", "restored", NULL};

const char *const mount_state_names[] = {"alive", "dead", "hung", "unseen", "hidden", NULL};

const char *const mount_presence_names[] = {"mounted", "bare", "file", "absent", "unseen", NULL};

const char *const decision_names[] = {"commit", "rollback", "look", NULL};

const char *const release_names[] = {"committed", "restored", "left", NULL};

const char *const propagation_names[] = {"keep", "private", "slave", "shared", NULL};

const char *const swap_mode_names[] = {"auto", "beneath", "top", "detach", NULL};

const char *const log_source_names[] = {"file", "pipe", "journal", NULL};

const char *const error_code_names[] = {"usage", "no-process", "no-access", "not-found", "not-socket", "symlink", "in-use", "exists", "changed", "no-layer", "not-ours", "already", "alive", "unseen", "mounted", "not-empty", "dead", "hung", "too-large", "unsupported", "system", "internal", NULL};

static void write_mount(const struct mount *value)
{
	json_open();
	json_key("id");
	json_uint(value->id);
	json_key("parent");
	json_uint(value->parent);
	json_key("device");
	json_text(value->device);
	json_key("root");
	json_text(value->root);
	json_key("mountPoint");
	json_text(value->mount_point);
	json_key("options");
	json_text(value->options);
	json_key("shared");
	if (value->shared)
		json_uint(*value->shared);
	else
		json_null();
	json_key("master");
	if (value->master)
		json_uint(*value->master);
	else
		json_null();
	json_key("fsType");
	json_text(value->fs_type);
	json_key("source");
	json_text(value->source);
	json_key("superOptions");
	json_text(value->super_options);
	json_close();
}

static void write_directory(const struct directory *value)
{
	json_open();
	json_key("path");
	json_text(value->path);
	json_key("state");
	json_text(presence_names[value->state]);
	json_key("errno");
	json_text(value->errno_);
	json_key("realPath");
	json_text(value->real_path);
	json_key("inode");
	if (value->inode)
		json_u64(*value->inode);
	else
		json_null();
	json_key("device");
	json_text(value->device);
	json_key("mode");
	if (value->mode)
		json_uint(*value->mode);
	else
		json_null();
	json_key("born");
	if (value->born)
		json_int(*value->born);
	else
		json_null();
	json_key("mount");
	if (value->mount)
		write_mount(value->mount);
	else
		json_null();
	json_key("layers");
	if (value->layers)
		json_uint(*value->layers);
	else
		json_null();
	json_close();
}

static void write_peer(const struct peer *value)
{
	json_open();
	json_key("pid");
	json_uint(value->pid);
	json_key("comm");
	json_text(value->comm);
	json_key("cgroup");
	json_list(&value->cgroup);
	json_key("startTicks");
	if (value->start_ticks)
		json_u64(*value->start_ticks);
	else
		json_null();
	json_close();
}

void emit_hello(const struct hello_record *record)
{
	json_begin(PROTOCOL_VERSION, "hello");
	json_key("agent");
	json_text(record->agent);
	json_key("arch");
	json_text(record->arch);
	json_key("kernel");
	json_text(record->kernel);
	json_key("bootId");
	json_text(record->boot_id);
	json_key("uptime");
	json_uint(record->uptime);
	json_end();
}

void emit_process(const struct process_record *record)
{
	json_begin(PROTOCOL_VERSION, "process");
	json_key("pid");
	json_uint(record->pid);
	json_key("ppid");
	json_uint(record->ppid);
	json_key("parentComm");
	json_text(record->parent_comm);
	json_key("parentArgv");
	json_list(&record->parent_argv);
	json_key("comm");
	json_text(record->comm);
	json_key("exe");
	json_text(record->exe);
	json_key("argv");
	json_list(&record->argv);
	json_key("cgroup");
	json_list(&record->cgroup);
	json_key("startTicks");
	json_u64(record->start_ticks);
	json_key("startedAt");
	json_int(record->started_at);
	json_key("uid");
	json_uint(record->uid);
	json_key("mountNamespace");
	if (record->mount_namespace)
		json_u64(*record->mount_namespace);
	else
		json_null();
	json_key("hostMountNamespace");
	if (record->host_mount_namespace)
		json_u64(*record->host_mount_namespace);
	else
		json_null();
	json_end();
}

void emit_root(const struct root_record *record)
{
	json_begin(PROTOCOL_VERSION, "root");
	json_key("at");
	json_uint(record->at);
	json_key("kubelet");
	if (record->kubelet)
		json_uint(*record->kubelet);
	else
		json_null();
	json_key("origin");
	json_text(origin_names[record->origin]);
	json_key("directory");
	write_directory(&record->directory);
	json_key("registry");
	write_directory(&record->registry);
	json_end();
}

void emit_limits(const struct limits_record *record)
{
	json_begin(PROTOCOL_VERSION, "limits");
	json_key("maxUserInstances");
	if (record->max_user_instances)
		json_uint(*record->max_user_instances);
	else
		json_null();
	json_key("maxUserWatches");
	if (record->max_user_watches)
		json_uint(*record->max_user_watches);
	else
		json_null();
	json_key("maxQueuedEvents");
	if (record->max_queued_events)
		json_uint(*record->max_queued_events);
	else
		json_null();
	json_end();
}

void emit_usage(const struct usage_record *record)
{
	json_begin(PROTOCOL_VERSION, "usage");
	json_key("uid");
	json_uint(record->uid);
	json_key("instances");
	json_uint(record->instances);
	json_key("watches");
	json_uint(record->watches);
	json_key("processes");
	json_uint(record->processes);
	json_key("unreadable");
	json_uint(record->unreadable);
	json_end();
}

void emit_watch(const struct watch_record *record)
{
	json_begin(PROTOCOL_VERSION, "watch");
	json_key("pid");
	json_uint(record->pid);
	json_key("fd");
	json_uint(record->fd);
	json_key("wd");
	json_uint(record->wd);
	json_key("inode");
	json_u64(record->inode);
	json_key("device");
	json_text(record->device);
	json_key("mask");
	json_uint(record->mask);
	json_end();
}

void emit_watches(const struct watches_record *record)
{
	json_begin(PROTOCOL_VERSION, "watches");
	json_key("pid");
	json_uint(record->pid);
	json_key("readable");
	json_bool(record->readable);
	json_key("instances");
	json_uint(record->instances);
	json_key("watches");
	json_uint(record->watches);
	json_key("truncated");
	json_bool(record->truncated);
	json_end();
}

void emit_entry(const struct entry_record *record)
{
	json_begin(PROTOCOL_VERSION, "entry");
	json_key("at");
	json_uint(record->at);
	json_key("root");
	json_text(record->root);
	json_key("name");
	json_text(record->name);
	json_key("hidden");
	json_bool(record->hidden);
	json_key("type");
	json_text(entry_type_names[record->type]);
	json_key("errno");
	json_text(record->errno_);
	json_key("inode");
	if (record->inode)
		json_u64(*record->inode);
	else
		json_null();
	json_key("device");
	json_text(record->device);
	json_key("mode");
	if (record->mode)
		json_uint(*record->mode);
	else
		json_null();
	json_key("uid");
	if (record->uid)
		json_uint(*record->uid);
	else
		json_null();
	json_key("mtime");
	if (record->mtime)
		json_int(*record->mtime);
	else
		json_null();
	json_key("connection");
	if (record->connection)
		json_text(connection_names[*record->connection]);
	else
		json_null();
	json_key("connectErrno");
	json_text(record->connect_errno);
	json_key("peer");
	if (record->peer)
		write_peer(record->peer);
	else
		json_null();
	json_end();
}

void emit_entries(const struct entries_record *record)
{
	json_begin(PROTOCOL_VERSION, "entries");
	json_key("at");
	json_uint(record->at);
	json_key("root");
	json_text(record->root);
	json_key("count");
	json_uint(record->count);
	json_key("state");
	json_text(presence_names[record->state]);
	json_key("truncated");
	json_bool(record->truncated);
	json_end();
}

void emit_host(const struct host_record *record)
{
	json_begin(PROTOCOL_VERSION, "host");
	json_key("osId");
	json_text(record->os_id);
	json_key("osVersion");
	json_text(record->os_version);
	json_key("osName");
	json_text(record->os_name);
	json_key("init");
	json_text(record->init);
	json_key("systemd");
	if (record->systemd)
		json_bool(*record->systemd);
	else
		json_null();
	json_key("selinux");
	json_text(record->selinux);
	json_key("apparmor");
	if (record->apparmor)
		json_bool(*record->apparmor);
	else
		json_null();
	json_key("fuse");
	if (record->fuse)
		json_bool(*record->fuse);
	else
		json_null();
	json_end();
}

void emit_delivery(const struct delivery_record *record)
{
	json_begin(PROTOCOL_VERSION, "delivery");
	json_key("rounds");
	json_uint(record->rounds);
	json_key("sent");
	json_uint(record->sent);
	json_key("delivered");
	json_uint(record->delivered);
	json_key("overflowed");
	json_bool(record->overflowed);
	json_key("slowest");
	json_uint(record->slowest);
	json_end();
}

void emit_announced(const struct announced_record *record)
{
	json_begin(PROTOCOL_VERSION, "announced");
	json_key("path");
	json_text(record->path);
	json_key("inode");
	json_u64(record->inode);
	json_key("action");
	json_text(announcement_names[record->action]);
	json_key("layers");
	json_uint(record->layers);
	json_end();
}

void emit_renamed(const struct renamed_record *record)
{
	json_begin(PROTOCOL_VERSION, "renamed");
	json_key("from");
	json_text(record->from);
	json_key("to");
	json_text(record->to);
	json_key("inode");
	json_u64(record->inode);
	json_end();
}

void emit_signalled(const struct signalled_record *record)
{
	json_begin(PROTOCOL_VERSION, "signalled");
	json_key("pid");
	json_uint(record->pid);
	json_key("ended");
	json_bool(record->ended);
	json_key("waited");
	json_uint(record->waited);
	json_end();
}

void emit_systemctl(const struct systemctl_record *record)
{
	json_begin(PROTOCOL_VERSION, "systemctl");
	json_key("exitCode");
	if (record->exit_code)
		json_uint(*record->exit_code);
	else
		json_null();
	json_key("output");
	json_text(record->output);
	json_key("truncated");
	json_bool(record->truncated);
	json_key("detached");
	json_bool(record->detached);
	json_end();
}

void emit_restarted(const struct restarted_record *record)
{
	json_begin(PROTOCOL_VERSION, "restarted");
	json_key("oldPid");
	json_uint(record->old_pid);
	json_key("pid");
	json_uint(record->pid);
	json_key("startTicks");
	json_u64(record->start_ticks);
	json_key("waited");
	json_uint(record->waited);
	json_end();
}

void emit_journal(const struct journal_record *record)
{
	json_begin(PROTOCOL_VERSION, "journal");
	json_key("run");
	json_text(record->run);
	json_key("line");
	json_text(record->line);
	json_key("complete");
	json_bool(record->complete);
	json_end();
}

void emit_covered(const struct covered_record *record)
{
	json_begin(PROTOCOL_VERSION, "covered");
	json_key("path");
	json_text(record->path);
	json_key("covered");
	json_bool(record->covered);
	json_key("layers");
	json_uint(record->layers);
	json_end();
}

void emit_unit(const struct unit_record *record)
{
	json_begin(PROTOCOL_VERSION, "unit");
	json_key("path");
	json_text(record->path);
	json_key("present");
	json_bool(record->present);
	json_key("changed");
	json_bool(record->changed);
	json_end();
}

void emit_namespace(const struct namespace_record *record)
{
	json_begin(PROTOCOL_VERSION, "namespace");
	json_key("inode");
	json_u64(record->inode);
	json_key("pid");
	json_uint(record->pid);
	json_key("startTicks");
	json_u64(record->start_ticks);
	json_key("comm");
	json_text(record->comm);
	json_key("cgroup");
	json_list(&record->cgroup);
	json_key("userNamespace");
	if (record->user_namespace)
		json_u64(*record->user_namespace);
	else
		json_null();
	json_key("hostUserNamespace");
	if (record->host_user_namespace)
		json_u64(*record->host_user_namespace);
	else
		json_null();
	json_key("isHost");
	json_bool(record->is_host);
	json_end();
}

void emit_volume_mount(const struct volume_mount_record *record)
{
	json_begin(PROTOCOL_VERSION, "volumeMount");
	json_key("namespace");
	json_u64(record->namespace);
	json_key("mount");
	write_mount(&record->mount);
	json_key("deleted");
	json_bool(record->deleted);
	json_key("layers");
	json_uint(record->layers);
	json_key("position");
	json_uint(record->position);
	json_key("state");
	json_text(mount_state_names[record->state]);
	json_key("errno");
	json_text(record->errno_);
	json_key("waiting");
	if (record->waiting)
		json_uint(*record->waiting);
	else
		json_null();
	json_end();
}

void emit_volume(const struct volume_record *record)
{
	json_begin(PROTOCOL_VERSION, "volume");
	json_key("path");
	json_text(record->path);
	json_key("podUid");
	json_text(record->pod_uid);
	json_key("specName");
	json_text(record->spec_name);
	json_key("volData");
	json_text(record->vol_data);
	json_key("mount");
	json_text(mount_presence_names[record->mount]);
	json_key("errno");
	json_text(record->errno_);
	json_key("guarded");
	if (record->guarded)
		json_bool(*record->guarded);
	else
		json_null();
	json_key("files");
	json_list(&record->files);
	json_key("truncated");
	json_bool(record->truncated);
	json_end();
}

void emit_staged(const struct staged_record *record)
{
	json_begin(PROTOCOL_VERSION, "staged");
	json_key("path");
	json_text(record->path);
	json_key("driver");
	json_text(record->driver);
	json_key("hash");
	json_text(record->hash);
	json_key("volData");
	json_text(record->vol_data);
	json_key("mount");
	json_text(mount_presence_names[record->mount]);
	json_key("errno");
	json_text(record->errno_);
	json_key("guarded");
	if (record->guarded)
		json_bool(*record->guarded);
	else
		json_null();
	json_end();
}

void emit_subpath(const struct subpath_record *record)
{
	json_begin(PROTOCOL_VERSION, "subpath");
	json_key("path");
	json_text(record->path);
	json_key("podUid");
	json_text(record->pod_uid);
	json_key("volume");
	json_text(record->volume);
	json_key("container");
	json_text(record->container);
	json_key("index");
	json_text(record->index);
	json_key("mount");
	json_text(mount_presence_names[record->mount]);
	json_key("errno");
	json_text(record->errno_);
	json_end();
}

void emit_block_volume(const struct block_volume_record *record)
{
	json_begin(PROTOCOL_VERSION, "blockVolume");
	json_key("path");
	json_text(record->path);
	json_key("podUid");
	json_text(record->pod_uid);
	json_key("specName");
	json_text(record->spec_name);
	json_key("mount");
	json_text(mount_presence_names[record->mount]);
	json_key("errno");
	json_text(record->errno_);
	json_end();
}

void emit_mount_counts(const struct mount_counts_record *record)
{
	json_begin(PROTOCOL_VERSION, "mountCounts");
	json_key("namespaces");
	json_uint(record->namespaces);
	json_key("processes");
	json_uint(record->processes);
	json_key("unreadable");
	json_uint(record->unreadable);
	json_key("mounts");
	json_uint(record->mounts);
	json_key("truncated");
	json_bool(record->truncated);
	json_key("milliseconds");
	json_uint(record->milliseconds);
	json_end();
}

void emit_holder(const struct holder_record *record)
{
	json_begin(PROTOCOL_VERSION, "holder");
	json_key("device");
	json_text(record->device);
	json_key("pid");
	json_uint(record->pid);
	json_key("startTicks");
	json_u64(record->start_ticks);
	json_key("comm");
	json_text(record->comm);
	json_key("cgroup");
	json_list(&record->cgroup);
	json_key("descriptors");
	json_uint(record->descriptors);
	json_key("workingDirectory");
	json_bool(record->working_directory);
	json_key("rootDirectory");
	json_bool(record->root_directory);
	json_key("mappings");
	json_uint(record->mappings);
	json_end();
}

void emit_holder_counts(const struct holder_counts_record *record)
{
	json_begin(PROTOCOL_VERSION, "holderCounts");
	json_key("processes");
	json_uint(record->processes);
	json_key("unreadable");
	json_uint(record->unreadable);
	json_end();
}

void emit_daemon(const struct daemon_record *record)
{
	json_begin(PROTOCOL_VERSION, "daemon");
	json_key("pid");
	json_uint(record->pid);
	json_key("startTicks");
	json_u64(record->start_ticks);
	json_key("ppid");
	json_uint(record->ppid);
	json_key("comm");
	json_text(record->comm);
	json_key("cgroup");
	json_list(&record->cgroup);
	json_key("pidNamespace");
	if (record->pid_namespace)
		json_u64(*record->pid_namespace);
	else
		json_null();
	json_key("hostPidNamespace");
	if (record->host_pid_namespace)
		json_u64(*record->host_pid_namespace);
	else
		json_null();
	json_key("mountNamespace");
	if (record->mount_namespace)
		json_u64(*record->mount_namespace);
	else
		json_null();
	json_key("device");
	json_text(record->device);
	json_key("descriptors");
	json_uint(record->descriptors);
	json_key("named");
	json_list(&record->named);
	json_end();
}

void emit_daemon_counts(const struct daemon_counts_record *record)
{
	json_begin(PROTOCOL_VERSION, "daemonCounts");
	json_key("processes");
	json_uint(record->processes);
	json_key("unreadable");
	json_uint(record->unreadable);
	json_end();
}

void emit_guarded(const struct guarded_record *record)
{
	json_begin(PROTOCOL_VERSION, "guarded");
	json_key("target");
	json_text(record->target);
	json_key("layers");
	json_uint(record->layers);
	json_key("guarded");
	json_bool(record->guarded);
	json_key("errno");
	json_text(record->errno_);
	json_key("fsType");
	json_text(record->fs_type);
	json_end();
}

void emit_released(const struct released_record *record)
{
	json_begin(PROTOCOL_VERSION, "released");
	json_key("target");
	json_text(record->target);
	json_key("decision");
	json_text(decision_names[record->decision]);
	json_key("outcome");
	json_text(release_names[record->outcome]);
	json_key("layers");
	json_uint(record->layers);
	json_key("device");
	json_text(record->device);
	json_key("guarded");
	json_bool(record->guarded);
	json_key("reason");
	json_text(record->reason);
	json_end();
}

void emit_unguarded(const struct unguarded_record *record)
{
	json_begin(PROTOCOL_VERSION, "unguarded");
	json_key("target");
	json_text(record->target);
	json_key("changed");
	json_bool(record->changed);
	json_key("layers");
	json_uint(record->layers);
	json_end();
}

void emit_probed(const struct probed_record *record)
{
	json_begin(PROTOCOL_VERSION, "probed");
	json_key("paths");
	json_uint(record->paths);
	json_key("errno");
	json_text(record->errno_);
	json_end();
}

void emit_verified(const struct verified_record *record)
{
	json_begin(PROTOCOL_VERSION, "verified");
	json_key("path");
	json_text(record->path);
	json_key("device");
	json_text(record->device);
	json_key("mountId");
	if (record->mount_id)
		json_uint(*record->mount_id);
	else
		json_null();
	json_key("root");
	json_text(record->root);
	json_key("layers");
	json_uint(record->layers);
	json_key("state");
	json_text(mount_state_names[record->state]);
	json_key("errno");
	json_text(record->errno_);
	json_key("read");
	json_bool(record->read);
	json_key("readErrno");
	json_text(record->read_errno);
	json_end();
}

void emit_unmounted(const struct unmounted_record *record)
{
	json_begin(PROTOCOL_VERSION, "unmounted");
	json_key("path");
	json_text(record->path);
	json_key("device");
	json_text(record->device);
	json_key("mountId");
	json_uint(record->mount_id);
	json_key("layers");
	json_uint(record->layers);
	json_end();
}

void emit_removed(const struct removed_record *record)
{
	json_begin(PROTOCOL_VERSION, "removed");
	json_key("path");
	json_text(record->path);
	json_end();
}

void emit_made(const struct made_record *record)
{
	json_begin(PROTOCOL_VERSION, "made");
	json_key("path");
	json_text(record->path);
	json_key("made");
	json_bool(record->made);
	json_end();
}

void emit_owned(const struct owned_record *record)
{
	json_begin(PROTOCOL_VERSION, "owned");
	json_key("path");
	json_text(record->path);
	json_key("skipped");
	json_bool(record->skipped);
	json_key("visited");
	json_uint(record->visited);
	json_key("changed");
	json_uint(record->changed);
	json_key("complete");
	json_bool(record->complete);
	json_key("failed");
	json_uint(record->failed);
	json_key("errno");
	json_text(record->errno_);
	json_end();
}

void emit_rebuilt(const struct rebuilt_record *record)
{
	json_begin(PROTOCOL_VERSION, "rebuilt");
	json_key("target");
	json_text(record->target);
	json_key("device");
	json_text(record->device);
	json_key("root");
	json_text(record->root);
	json_key("mountId");
	json_uint(record->mount_id);
	json_key("popped");
	json_uint(record->popped);
	json_key("layers");
	json_uint(record->layers);
	json_end();
}

void emit_swapped(const struct swapped_record *record)
{
	json_begin(PROTOCOL_VERSION, "swapped");
	json_key("target");
	json_text(record->target);
	json_key("mode");
	json_text(swap_mode_names[record->mode]);
	json_key("beneathErrno");
	json_text(record->beneath_errno);
	json_key("microseconds");
	json_uint(record->microseconds);
	json_key("window");
	json_uint(record->window);
	json_key("device");
	json_text(record->device);
	json_key("root");
	json_text(record->root);
	json_key("mountId");
	json_uint(record->mount_id);
	json_key("layersBefore");
	json_uint(record->layers_before);
	json_key("layersAfter");
	json_uint(record->layers_after);
	json_key("popped");
	json_uint(record->popped);
	json_key("nested");
	json_uint(record->nested);
	json_key("shared");
	if (record->shared)
		json_uint(*record->shared);
	else
		json_null();
	json_key("master");
	if (record->master)
		json_uint(*record->master);
	else
		json_null();
	json_key("options");
	json_text(record->options);
	json_key("read");
	json_bool(record->read);
	json_key("readErrno");
	json_text(record->read_errno);
	json_end();
}

void emit_aborted(const struct aborted_record *record)
{
	json_begin(PROTOCOL_VERSION, "aborted");
	json_key("device");
	json_text(record->device);
	json_key("waiting");
	if (record->waiting)
		json_uint(*record->waiting);
	else
		json_null();
	json_end();
}

void emit_log_line(const struct log_line_record *record)
{
	json_begin(PROTOCOL_VERSION, "logLine");
	json_key("line");
	json_text(record->line);
	json_key("at");
	if (record->at)
		json_int(*record->at);
	else
		json_null();
	json_end();
}

void emit_log_counts(const struct log_counts_record *record)
{
	json_begin(PROTOCOL_VERSION, "logCounts");
	json_key("source");
	json_text(log_source_names[record->source]);
	json_key("path");
	json_text(record->path);
	json_key("scanned");
	json_uint(record->scanned);
	json_key("truncated");
	json_bool(record->truncated);
	json_end();
}

void emit_error(const struct error_record *record)
{
	json_begin(PROTOCOL_VERSION, "error");
	json_key("code");
	json_text(error_code_names[record->code]);
	json_key("errno");
	json_text(record->errno_);
	json_key("what");
	json_text(record->what);
	json_key("path");
	json_text(record->path);
	json_end();
}

void emit_end(const struct end_record *record)
{
	json_begin(PROTOCOL_VERSION, "end");
	json_key("ok");
	json_bool(record->ok);
	json_key("records");
	json_uint(record->records);
	json_end();
}

static void call_version(const void *arguments)
{
	run_version(arguments);
}

static const struct argument observe_table[] = {
	{"root", ARGUMENT_PATH, false, true, NULL, 0, UINT64_MAX, NULL, offsetof(struct observe_arguments, root)},
	{"names", ARGUMENT_WORDS, false, false, "kubelet,kubelite,k3s,k3s-server,k3s-agent,hyperkube", 0, UINT64_MAX, NULL, offsetof(struct observe_arguments, names)},
};

static void call_observe(const void *arguments)
{
	run_observe(arguments);
}

static const struct argument listen_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct listen_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct listen_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct listen_arguments, root)},
	{"rounds", ARGUMENT_UINT, false, false, "8", 1, 32, NULL, offsetof(struct listen_arguments, rounds)},
};

static void call_listen(const void *arguments)
{
	run_listen(arguments);
}

static const struct argument announce_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_arguments, root)},
	{"name", ARGUMENT_NAME, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_arguments, name)},
};

static void call_announce(const void *arguments)
{
	run_announce(arguments);
}

static const struct argument announce_hidden_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_hidden_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_hidden_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_hidden_arguments, root)},
	{"name", ARGUMENT_NAME, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_hidden_arguments, name)},
	{"inode", ARGUMENT_U64, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_hidden_arguments, inode)},
	{"device", ARGUMENT_DEVICE, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct announce_hidden_arguments, device)},
};

static void call_announce_hidden(const void *arguments)
{
	run_announce_hidden(arguments);
}

static const struct argument retire_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct retire_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct retire_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct retire_arguments, root)},
	{"name", ARGUMENT_NAME, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct retire_arguments, name)},
};

static void call_retire(const void *arguments)
{
	run_retire(arguments);
}

static const struct argument restore_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct restore_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct restore_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct restore_arguments, root)},
	{"name", ARGUMENT_NAME, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct restore_arguments, name)},
};

static void call_restore(const void *arguments)
{
	run_restore(arguments);
}

static const struct argument tunnel_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct tunnel_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct tunnel_arguments, start_ticks)},
	{"path", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct tunnel_arguments, path)},
};

static void call_tunnel(const void *arguments)
{
	run_tunnel(arguments);
}

static const struct argument end_process_table[] = {
	{"pid", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct end_process_arguments, pid)},
	{"start-ticks", ARGUMENT_U64, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct end_process_arguments, start_ticks)},
	{"signal", ARGUMENT_ENUM, false, false, "TERM", 0, UINT64_MAX, signal_names, offsetof(struct end_process_arguments, signal)},
	{"wait", ARGUMENT_UINT, false, false, "5000", 0, 120000, NULL, offsetof(struct end_process_arguments, wait)},
};

static void call_end_process(const void *arguments)
{
	run_end_process(arguments);
}

static const struct argument systemctl_table[] = {
	{"verb", ARGUMENT_ENUM, true, false, NULL, 0, UINT64_MAX, verb_names, offsetof(struct systemctl_arguments, verb)},
	{"unit", ARGUMENT_UNIT, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct systemctl_arguments, unit)},
	{"property", ARGUMENT_WORD, false, true, NULL, 0, UINT64_MAX, NULL, offsetof(struct systemctl_arguments, property)},
	{"detach", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct systemctl_arguments, detach)},
	{"run", ARGUMENT_WORD, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct systemctl_arguments, run)},
};

static void call_systemctl(const void *arguments)
{
	run_systemctl(arguments);
}

static const struct argument restart_kubelet_table[] = {
	{"pid", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct restart_kubelet_arguments, pid)},
	{"start-ticks", ARGUMENT_U64, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct restart_kubelet_arguments, start_ticks)},
	{"unit", ARGUMENT_UNIT, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct restart_kubelet_arguments, unit)},
	{"run", ARGUMENT_WORD, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct restart_kubelet_arguments, run)},
	{"wait", ARGUMENT_UINT, false, false, "60000", 0, 600000, NULL, offsetof(struct restart_kubelet_arguments, wait)},
};

static void call_restart_kubelet(const void *arguments)
{
	run_restart_kubelet(arguments);
}

static const struct argument journal_append_table[] = {
	{"run", ARGUMENT_WORD, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct journal_append_arguments, run)},
	{"line", ARGUMENT_TEXT, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct journal_append_arguments, line)},
};

static void call_journal_append(const void *arguments)
{
	run_journal_append(arguments);
}

static const struct argument journal_read_table[] = {
	{"run", ARGUMENT_WORD, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct journal_read_arguments, run)},
};

static void call_journal_read(const void *arguments)
{
	run_journal_read(arguments);
}

static const struct argument journal_clear_table[] = {
	{"run", ARGUMENT_WORD, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct journal_clear_arguments, run)},
};

static void call_journal_clear(const void *arguments)
{
	run_journal_clear(arguments);
}

static const struct argument cover_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct cover_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct cover_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct cover_arguments, root)},
	{"undo", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct cover_arguments, undo)},
};

static void call_cover(const void *arguments)
{
	run_cover(arguments);
}

static const struct argument unit_file_table[] = {
	{"name", ARGUMENT_UNIT, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unit_file_arguments, name)},
	{"content", ARGUMENT_TEXT, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unit_file_arguments, content)},
	{"remove", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unit_file_arguments, remove)},
};

static void call_unit_file(const void *arguments)
{
	run_unit_file(arguments);
}

static const struct argument mounts_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct mounts_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct mounts_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct mounts_arguments, root)},
	{"deadline", ARGUMENT_UINT, false, false, "500", 10, 10000, NULL, offsetof(struct mounts_arguments, deadline)},
};

static void call_mounts(const void *arguments)
{
	run_mounts(arguments);
}

static const struct argument holders_table[] = {
	{"device", ARGUMENT_DEVICE, true, true, NULL, 0, UINT64_MAX, NULL, offsetof(struct holders_arguments, device)},
};

static void call_holders(const void *arguments)
{
	run_holders(arguments);
}

static void call_daemons(const void *arguments)
{
	run_daemons(arguments);
}

static const struct argument replace_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct replace_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct replace_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct replace_arguments, root)},
	{"run", ARGUMENT_WORD, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct replace_arguments, run)},
	{"target", ARGUMENT_PATH, true, true, NULL, 0, UINT64_MAX, NULL, offsetof(struct replace_arguments, target)},
	{"device", ARGUMENT_DEVICE, false, true, NULL, 0, UINT64_MAX, NULL, offsetof(struct replace_arguments, device)},
	{"no-guard", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct replace_arguments, no_guard)},
	{"wait", ARGUMENT_UINT, false, false, "120000", 0, 3600000, NULL, offsetof(struct replace_arguments, wait)},
	{"deadline", ARGUMENT_UINT, false, false, "500", 10, 10000, NULL, offsetof(struct replace_arguments, deadline)},
};

static void call_replace(const void *arguments)
{
	run_replace(arguments);
}

static const struct argument unguard_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unguard_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unguard_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unguard_arguments, root)},
	{"target", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unguard_arguments, target)},
};

static void call_unguard(const void *arguments)
{
	run_unguard(arguments);
}

static const struct argument verify_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct verify_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct verify_arguments, start_ticks)},
	{"path", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct verify_arguments, path)},
	{"deadline", ARGUMENT_UINT, false, false, "2000", 10, 10000, NULL, offsetof(struct verify_arguments, deadline)},
};

static void call_verify(const void *arguments)
{
	run_verify(arguments);
}

static const struct argument unmount_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unmount_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unmount_arguments, start_ticks)},
	{"path", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unmount_arguments, path)},
	{"device", ARGUMENT_DEVICE, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unmount_arguments, device)},
	{"mount-id", ARGUMENT_UINT, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unmount_arguments, mount_id)},
	{"planned", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct unmount_arguments, planned)},
};

static void call_unmount(const void *arguments)
{
	run_unmount(arguments);
}

static const struct argument remove_empty_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct remove_empty_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct remove_empty_arguments, start_ticks)},
	{"path", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct remove_empty_arguments, path)},
	{"below", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct remove_empty_arguments, below)},
};

static void call_remove_empty(const void *arguments)
{
	run_remove_empty(arguments);
}

static const struct argument make_directory_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct make_directory_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct make_directory_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct make_directory_arguments, root)},
	{"path", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct make_directory_arguments, path)},
};

static void call_make_directory(const void *arguments)
{
	run_make_directory(arguments);
}

static const struct argument own_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct own_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct own_arguments, start_ticks)},
	{"path", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct own_arguments, path)},
	{"gid", ARGUMENT_UINT, true, false, NULL, 0, 4294967294, NULL, offsetof(struct own_arguments, gid)},
	{"read-only", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct own_arguments, read_only)},
	{"on-root-mismatch", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct own_arguments, on_root_mismatch)},
	{"deadline", ARGUMENT_UINT, false, false, "30000", 10, 600000, NULL, offsetof(struct own_arguments, deadline)},
};

static void call_own(const void *arguments)
{
	run_own(arguments);
}

static const struct argument subpath_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct subpath_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct subpath_arguments, start_ticks)},
	{"root", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct subpath_arguments, root)},
	{"target", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct subpath_arguments, target)},
	{"from", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct subpath_arguments, from)},
	{"sub", ARGUMENT_NAME, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct subpath_arguments, sub)},
	{"device", ARGUMENT_DEVICE, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct subpath_arguments, device)},
};

static void call_subpath(const void *arguments)
{
	run_subpath(arguments);
}

static const struct argument swap_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, at)},
	{"pid", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, pid)},
	{"start-ticks", ARGUMENT_U64, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, start_ticks)},
	{"namespace", ARGUMENT_U64, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, namespace)},
	{"target", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, target)},
	{"mount-id", ARGUMENT_UINT, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, mount_id)},
	{"device", ARGUMENT_DEVICE, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, device)},
	{"from", ARGUMENT_PATH, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, from)},
	{"from-device", ARGUMENT_DEVICE, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, from_device)},
	{"sub", ARGUMENT_NAME, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, sub)},
	{"whole", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, whole)},
	{"mode", ARGUMENT_ENUM, false, false, "auto", 0, UINT64_MAX, swap_mode_names, offsetof(struct swap_arguments, mode)},
	{"options", ARGUMENT_WORDS, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, options)},
	{"propagation", ARGUMENT_ENUM, false, false, "keep", 0, UINT64_MAX, propagation_names, offsetof(struct swap_arguments, propagation)},
	{"planned", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, planned)},
	{"unlisted", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, unlisted)},
	{"lose-nested", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct swap_arguments, lose_nested)},
	{"deadline", ARGUMENT_UINT, false, false, "5000", 10, 60000, NULL, offsetof(struct swap_arguments, deadline)},
};

static void call_swap(const void *arguments)
{
	run_swap(arguments);
}

static const struct argument abort_table[] = {
	{"at", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct abort_arguments, at)},
	{"start-ticks", ARGUMENT_U64, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct abort_arguments, start_ticks)},
	{"device", ARGUMENT_DEVICE, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct abort_arguments, device)},
	{"force", ARGUMENT_FLAG, false, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct abort_arguments, force)},
	{"deadline", ARGUMENT_UINT, false, false, "500", 10, 10000, NULL, offsetof(struct abort_arguments, deadline)},
};

static void call_abort(const void *arguments)
{
	run_abort(arguments);
}

static const struct argument kubelet_log_table[] = {
	{"pid", ARGUMENT_PID, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct kubelet_log_arguments, pid)},
	{"start-ticks", ARGUMENT_U64, true, false, NULL, 0, UINT64_MAX, NULL, offsetof(struct kubelet_log_arguments, start_ticks)},
	{"match", ARGUMENT_TEXT, true, true, NULL, 0, UINT64_MAX, NULL, offsetof(struct kubelet_log_arguments, match)},
	{"lines", ARGUMENT_UINT, false, false, "20", 1, 200, NULL, offsetof(struct kubelet_log_arguments, lines)},
	{"deadline", ARGUMENT_UINT, false, false, "5000", 100, 60000, NULL, offsetof(struct kubelet_log_arguments, deadline)},
};

static void call_kubelet_log(const void *arguments)
{
	run_kubelet_log(arguments);
}

static void call_serve(const void *arguments)
{
	run_serve(arguments);
}

static const struct argument probe_table[] = {
	{"path", ARGUMENT_PATH, true, true, NULL, 0, UINT64_MAX, NULL, offsetof(struct probe_arguments, path)},
	{"deadline", ARGUMENT_UINT, false, false, "4000", 10, 600000, NULL, offsetof(struct probe_arguments, deadline)},
};

static void call_probe(const void *arguments)
{
	run_probe(arguments);
}

static const struct argument hold_table[] = {
	{"seconds", ARGUMENT_UINT, true, false, NULL, 1, 86400, NULL, offsetof(struct hold_arguments, seconds)},
};

static void call_hold(const void *arguments)
{
	run_hold(arguments);
}

const struct command commands[] = {
	{"version", NULL, 0, sizeof(struct version_arguments), call_version},
	{"observe", observe_table, 2, sizeof(struct observe_arguments), call_observe},
	{"listen", listen_table, 4, sizeof(struct listen_arguments), call_listen},
	{"announce", announce_table, 4, sizeof(struct announce_arguments), call_announce},
	{"announce-hidden", announce_hidden_table, 6, sizeof(struct announce_hidden_arguments), call_announce_hidden},
	{"retire", retire_table, 4, sizeof(struct retire_arguments), call_retire},
	{"restore", restore_table, 4, sizeof(struct restore_arguments), call_restore},
	{"tunnel", tunnel_table, 3, sizeof(struct tunnel_arguments), call_tunnel},
	{"end-process", end_process_table, 4, sizeof(struct end_process_arguments), call_end_process},
	{"systemctl", systemctl_table, 5, sizeof(struct systemctl_arguments), call_systemctl},
	{"restart-kubelet", restart_kubelet_table, 5, sizeof(struct restart_kubelet_arguments), call_restart_kubelet},
	{"journal-append", journal_append_table, 2, sizeof(struct journal_append_arguments), call_journal_append},
	{"journal-read", journal_read_table, 1, sizeof(struct journal_read_arguments), call_journal_read},
	{"journal-clear", journal_clear_table, 1, sizeof(struct journal_clear_arguments), call_journal_clear},
	{"cover", cover_table, 4, sizeof(struct cover_arguments), call_cover},
	{"unit-file", unit_file_table, 3, sizeof(struct unit_file_arguments), call_unit_file},
	{"mounts", mounts_table, 4, sizeof(struct mounts_arguments), call_mounts},
	{"holders", holders_table, 1, sizeof(struct holders_arguments), call_holders},
	{"daemons", NULL, 0, sizeof(struct daemons_arguments), call_daemons},
	{"replace", replace_table, 9, sizeof(struct replace_arguments), call_replace},
	{"unguard", unguard_table, 4, sizeof(struct unguard_arguments), call_unguard},
	{"verify", verify_table, 4, sizeof(struct verify_arguments), call_verify},
	{"unmount", unmount_table, 6, sizeof(struct unmount_arguments), call_unmount},
	{"remove-empty", remove_empty_table, 4, sizeof(struct remove_empty_arguments), call_remove_empty},
	{"make-directory", make_directory_table, 4, sizeof(struct make_directory_arguments), call_make_directory},
	{"own", own_table, 7, sizeof(struct own_arguments), call_own},
	{"subpath", subpath_table, 7, sizeof(struct subpath_arguments), call_subpath},
	{"swap", swap_table, 18, sizeof(struct swap_arguments), call_swap},
	{"abort", abort_table, 5, sizeof(struct abort_arguments), call_abort},
	{"kubelet-log", kubelet_log_table, 5, sizeof(struct kubelet_log_arguments), call_kubelet_log},
	{"serve", NULL, 0, sizeof(struct serve_arguments), call_serve},
	{"probe", probe_table, 2, sizeof(struct probe_arguments), call_probe},
	{"hold", hold_table, 1, sizeof(struct hold_arguments), call_hold},
};
const size_t command_count = sizeof(commands) / sizeof(commands[0]);
