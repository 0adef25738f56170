/* Generated from protocol.json by scripts/generate-protocol.mjs. Do not edit. */
#ifndef PROTOCOL_GEN_H
#define PROTOCOL_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROTOCOL_VERSION 1

struct list {
	const char *const *items;
	size_t count;
};

enum presence {
	PRESENCE_PRESENT,
	PRESENCE_ABSENT,
	PRESENCE_NOT_DIRECTORY,
	PRESENCE_HUNG,
	PRESENCE_UNREADABLE,
};
extern const char *const presence_names[];

enum origin {
	ORIGIN_FLAG,
	ORIGIN_DEFAULT,
	ORIGIN_HINT,
};
extern const char *const origin_names[];

enum entry_type {
	ENTRY_TYPE_SOCKET,
	ENTRY_TYPE_DIRECTORY,
	ENTRY_TYPE_FILE,
	ENTRY_TYPE_SYMLINK,
	ENTRY_TYPE_OTHER,
	ENTRY_TYPE_UNREADABLE,
};
extern const char *const entry_type_names[];

enum connection {
	CONNECTION_ACCEPTED,
	CONNECTION_REFUSED,
	CONNECTION_FAILED,
	CONNECTION_HUNG,
};
extern const char *const connection_names[];

enum verb {
	VERB_SHOW,
	VERB_IS_ACTIVE,
	VERB_RESTART,
	VERB_START,
	VERB_STOP,
	VERB_ENABLE,
	VERB_DISABLE,
	VERB_DAEMON_RELOAD,
};
extern const char *const verb_names[];

enum signal {
	SIGNAL_TERM,
	SIGNAL_KILL,
};
extern const char *const signal_names[];

enum announcement {
	ANNOUNCEMENT_ANNOUNCED,
	ANNOUNCEMENT_RESTORED,
};
extern const char *const announcement_names[];

enum mount_state {
	MOUNT_STATE_ALIVE,
	MOUNT_STATE_DEAD,
	MOUNT_STATE_HUNG,
	MOUNT_STATE_UNSEEN,
	MOUNT_STATE_HIDDEN,
};
extern const char *const mount_state_names[];

enum mount_presence {
	MOUNT_PRESENCE_MOUNTED,
	MOUNT_PRESENCE_BARE,
	MOUNT_PRESENCE_FILE,
	MOUNT_PRESENCE_ABSENT,
	MOUNT_PRESENCE_UNSEEN,
};
extern const char *const mount_presence_names[];

enum decision {
	DECISION_COMMIT,
	DECISION_ROLLBACK,
	DECISION_LOOK,
};
extern const char *const decision_names[];

enum release {
	RELEASE_COMMITTED,
	RELEASE_RESTORED,
	RELEASE_LEFT,
};
extern const char *const release_names[];

enum propagation {
	PROPAGATION_KEEP,
	PROPAGATION_PRIVATE,
	PROPAGATION_SLAVE,
	PROPAGATION_SHARED,
};
extern const char *const propagation_names[];

enum swap_mode {
	SWAP_MODE_AUTO,
	SWAP_MODE_BENEATH,
	SWAP_MODE_TOP,
	SWAP_MODE_DETACH,
};
extern const char *const swap_mode_names[];

enum log_source {
	LOG_SOURCE_FILE,
	LOG_SOURCE_PIPE,
	LOG_SOURCE_JOURNAL,
};
extern const char *const log_source_names[];

enum error_code {
	ERROR_CODE_USAGE,
	ERROR_CODE_NO_PROCESS,
	ERROR_CODE_NO_ACCESS,
	ERROR_CODE_NOT_FOUND,
	ERROR_CODE_NOT_SOCKET,
	ERROR_CODE_SYMLINK,
	ERROR_CODE_IN_USE,
	ERROR_CODE_EXISTS,
	ERROR_CODE_CHANGED,
	ERROR_CODE_NO_LAYER,
	ERROR_CODE_NOT_OURS,
	ERROR_CODE_ALREADY,
	ERROR_CODE_ALIVE,
	ERROR_CODE_UNSEEN,
	ERROR_CODE_MOUNTED,
	ERROR_CODE_NOT_EMPTY,
	ERROR_CODE_DEAD,
	ERROR_CODE_HUNG,
	ERROR_CODE_TOO_LARGE,
	ERROR_CODE_UNSUPPORTED,
	ERROR_CODE_SYSTEM,
	ERROR_CODE_INTERNAL,
};
extern const char *const error_code_names[];

/* One line of mountinfo. */
struct mount {
	uint64_t id; /* Mount id, unique in its mount namespace. */
	uint64_t parent; /* Mount id of the parent. */
	const char *device; /* MAJOR:MINOR of the super block; the one that inotify's sdev names. */
	const char *root; /* Directory of the file system that is mounted. */
	const char *mount_point; /* Path as the observed process sees it. */
	const char *options; /* Flags of this mount, comma separated. */
	const uint64_t *shared; /* Peer group it belongs to, null when it is not shared. */
	const uint64_t *master; /* Peer group it receives from, null when it is no slave. */
	const char *fs_type; /* File system type, with its subtype after a dot. */
	const char *source; /* What is mounted. */
	const char *super_options; /* Options of the super block, comma separated. */
};

/* A directory as the observed process sees it. */
struct directory {
	const char *path; /* The path that was asked for. */
	enum presence state; /* Whether it is there; all that follows is null unless present. */
	const char *errno_; /* Why it could not be seen, null when present or hung. */
	const char *real_path; /* The path with symbolic links resolved. */
	const uint64_t *inode; /* Inode number. */
	const char *device; /* MAJOR:MINOR as stat gives it; btrfs differs from mount.device here. */
	const uint64_t *mode; /* Permission bits, such as 0750. */
	const int64_t *born; /* When it was made, seconds since 1970; null where the file system keeps no birth time. */
	const struct mount *mount; /* The mount that holds it. */
	const uint64_t *layers; /* Mounts whose mount point is exactly this directory. */
};

/* The process that listens on a socket. */
struct peer {
	uint64_t pid; /* Process id; 0 when it lives in a PID namespace that is not visible. */
	const char *comm; /* Command name, null when the process is gone or not visible. */
	struct list cgroup; /* Lines of its cgroup file; they name the pod and the container. */
	const uint64_t *start_ticks; /* Start time in clock ticks since boot. */
};

/* First record: which agent speaks, and on which machine. */
struct hello_record {
	const char *agent; /* Version of the agent. */
	const char *arch; /* Machine name as uname gives it. */
	const char *kernel; /* Kernel release. */
	const char *boot_id; /* Changes at each boot. */
	uint64_t uptime; /* Seconds since boot. */
};

/* A process that may be a kubelet. */
struct process_record {
	uint64_t pid; /* Process id. */
	uint64_t ppid; /* Process id of the parent. */
	const char *parent_comm; /* Command name of the parent. */
	struct list parent_argv; /* Command line of the parent. */
	const char *comm; /* Command name, at most 15 bytes. */
	const char *exe; /* Path of the executable. */
	struct list argv; /* Command line. */
	struct list cgroup; /* Lines of its cgroup file. */
	uint64_t start_ticks; /* Start time in clock ticks since boot; with the pid it names the process. */
	int64_t started_at; /* Start time in seconds since 1970. */
	uint64_t uid; /* Effective user id. */
	const uint64_t *mount_namespace; /* Inode of its mount namespace. */
	const uint64_t *host_mount_namespace; /* Inode of PID 1's mount namespace. */
};

/* A kubelet root and the directory in it where kubelet looks for plugins. */
struct root_record {
	uint64_t at; /* The process whose view of the file system this is. */
	const uint64_t *kubelet; /* The kubelet that uses this root, null for a hint. */
	enum origin origin; /* Where the path comes from. */
	struct directory directory; /* The root itself. */
	struct directory registry; /* plugins_registry in it. */
};

/* The inotify limits of the kernel. */
struct limits_record {
	const uint64_t *max_user_instances; /* fs.inotify.max_user_instances. */
	const uint64_t *max_user_watches; /* fs.inotify.max_user_watches. */
	const uint64_t *max_queued_events; /* fs.inotify.max_queued_events. */
};

/* What a user that runs a kubelet holds of the inotify limits, as far as visible. */
struct usage_record {
	uint64_t uid; /* Effective user id. */
	uint64_t instances; /* inotify descriptors of processes of that user. */
	uint64_t watches; /* Watches on them. */
	uint64_t processes; /* Processes of that user that were looked into. */
	uint64_t unreadable; /* Processes of that user that could not be looked into. */
};

/* One inotify watch of a kubelet. */
struct watch_record {
	uint64_t pid; /* The kubelet. */
	uint64_t fd; /* Its inotify descriptor. */
	uint64_t wd; /* Watch descriptor. */
	uint64_t inode; /* Inode that is watched. */
	const char *device; /* MAJOR:MINOR of the super block; compare with mount.device. */
	uint64_t mask; /* Events asked for, as inotify(7) numbers them. */
};

/* How complete the watch records of a kubelet are. */
struct watches_record {
	uint64_t pid; /* The kubelet. */
	bool readable; /* False when its descriptors could not be read: no watch is known. */
	uint64_t instances; /* inotify descriptors it holds. */
	uint64_t watches; /* Watches it holds. */
	bool truncated; /* True when there are more watches than records. */
};

/* One name in plugins_registry, or below it. */
struct entry_record {
	uint64_t at; /* The process whose view of the file system this is. */
	const char *root; /* The kubelet root, as in the root record. */
	const char *name; /* Path relative to plugins_registry. */
	bool hidden; /* True when kubelet ignores it: its last name begins with a dot. */
	enum entry_type type; /* What it is. */
	const char *errno_; /* Why it is unreadable. */
	const uint64_t *inode; /* Inode number. */
	const char *device; /* MAJOR:MINOR as stat gives it. */
	const uint64_t *mode; /* Permission bits. */
	const uint64_t *uid; /* Owner. */
	const int64_t *mtime; /* Last modification, seconds since 1970; a socket's is its bind. */
	const enum connection *connection; /* What connecting to a socket gave; null for all else. */
	const char *connect_errno; /* Why connecting was refused or failed. */
	const struct peer *peer; /* Who listens, when the connection was accepted. */
};

/* How complete the entry records of a root are. */
struct entries_record {
	uint64_t at; /* The process whose view of the file system this is. */
	const char *root; /* The kubelet root. */
	uint64_t count; /* Entry records that were written. */
	enum presence state; /* hung: listing did not end in time, some may be missing. */
	bool truncated; /* True when there are more entries than records. */
};

/* Facts about the host. */
struct host_record {
	const char *os_id; /* ID of os-release. */
	const char *os_version; /* VERSION_ID of os-release. */
	const char *os_name; /* PRETTY_NAME of os-release. */
	const char *init; /* Command name of PID 1. */
	const bool *systemd; /* Whether systemd manages the host (/run/systemd/system). */
	const char *selinux; /* enforcing, permissive, or null without SELinux. */
	const bool *apparmor; /* Whether AppArmor is on. */
	const bool *fuse; /* Whether the kernel has the fuse file system. */
};

/* Whether a directory delivers its own events. */
struct delivery_record {
	uint64_t rounds; /* Rounds of create, rename, unlink. */
	uint64_t sent; /* Events that these must cause. */
	uint64_t delivered; /* Events that arrived in time. */
	bool overflowed; /* Whether our own queue overflowed. */
	uint64_t slowest; /* Longest wait for the events of a round, in milliseconds. */
};

/* A socket was announced again. */
struct announced_record {
	const char *path; /* The socket. */
	uint64_t inode; /* Its inode, the same before and after. */
	enum announcement action; /* restored: only the dot-name of an interrupted run was there. */
	uint64_t layers; /* Mounts that were taken off in a private view to reach the directory. */
};

/* A stale socket was put aside, or back. */
struct renamed_record {
	const char *from; /* Name before, relative to plugins_registry. */
	const char *to; /* Name after. */
	uint64_t inode; /* Its inode. */
};

/* A process was sent a signal. */
struct signalled_record {
	uint64_t pid; /* Process id. */
	bool ended; /* Whether it ended in time. */
	uint64_t waited; /* Milliseconds until it ended, or that were waited in vain. */
};

/* What the host's systemctl answered. */
struct systemctl_record {
	const uint64_t *exit_code; /* Its exit code; null when it runs detached. */
	const char *output; /* Standard output and standard error. */
	bool truncated; /* True when there was more output. */
	bool detached; /* True when it goes on by itself; its result goes to the journal. */
};

/* A new kubelet runs. */
struct restarted_record {
	uint64_t old_pid; /* The kubelet before. */
	uint64_t pid; /* The kubelet now. */
	uint64_t start_ticks; /* Its start time in clock ticks since boot. */
	uint64_t waited; /* Milliseconds until it ran. */
};

/* One line of a journal on the node. */
struct journal_record {
	const char *run; /* The run that wrote it. */
	const char *line; /* The line. */
	bool complete; /* False when the writer was cut off. */
};

/* plugins_registry has a file system of its own, or no longer. */
struct covered_record {
	const char *path; /* The directory. */
	bool covered; /* Whether our tmpfs is on it now. */
	uint64_t layers; /* Mounts exactly on it now. */
};

/* A systemd unit file was written or removed. */
struct unit_record {
	const char *path; /* The file. */
	bool present; /* Whether it is there now. */
	bool changed; /* False when it already was as asked. */
};

/* A mount namespace, by a process in it that sees most of it. */
struct namespace_record {
	uint64_t inode; /* Inode of the namespace. */
	uint64_t pid; /* The process. */
	uint64_t start_ticks; /* Its start time in clock ticks since boot. */
	const char *comm; /* Its command name. */
	struct list cgroup; /* Lines of its cgroup file; they name the pod and the container. */
	const uint64_t *user_namespace; /* Inode of its user namespace. */
	const uint64_t *host_user_namespace; /* Inode of PID 1's user namespace. */
	bool is_host; /* Whether it is the kubelet's own. */
};

/* A mount that belongs to a volume, or whose file system can die. */
struct volume_mount_record {
	uint64_t namespace; /* Inode of the mount namespace that it is in. */
	struct mount mount; /* Its line of mountinfo, as the namespace's process sees it; without the mark of a deleted root. */
	bool deleted; /* Whether the kernel marked its root as deleted, as a failed lookup on a dead mount makes it. */
	uint64_t layers; /* Mounts whose mount point is exactly this one's. */
	uint64_t position; /* Its place among them, 0 is the bottom. */
	enum mount_state state; /* hidden: another layer covers it, or it lies below a mount that did not answer. The state of a device that was seen elsewhere is not passed on to a hidden mount. */
	const char *errno_; /* What statfs answered when dead or unseen. */
	const uint64_t *waiting; /* Requests that wait in its FUSE connection; null when it has none or it can't be read. */
};

/* A volume that kubelet has published, or begun to: pods/UID/volumes/kubernetes.io~csi/SPEC. */
struct volume_record {
	const char *path; /* The publish target: the directory mount in it. */
	const char *pod_uid; /* The pod. */
	const char *spec_name; /* Name of the PersistentVolume, or of an inline volume in its pod. */
	const char *vol_data; /* Text of vol_data.json, null when absent, unreadable or beyond 64 KiB. */
	enum mount_presence mount; /* bare: a directory on which nothing is mounted. unseen: errno says why, or it hung. */
	const char *errno_; /* Why it is unseen. */
	const bool *guarded; /* Whether the bare directory is immutable; null when not bare, or its file system has no such flag. */
	struct list files; /* Names in the bare directory, at most 20. */
	bool truncated; /* True when there are more. */
};

/* A staging directory: plugins/kubernetes.io/csi/DRIVER/HASH. */
struct staged_record {
	const char *path; /* The staging path: the directory globalmount in it. */
	const char *driver; /* Name of the driver; pv in the layout of kubelets before 1.24. */
	const char *hash; /* SHA-256 of the volume handle; the PersistentVolume's name in the old layout. */
	const char *vol_data; /* Text of vol_data.json, null when absent, unreadable or beyond 64 KiB. */
	enum mount_presence mount; /* bare: a directory on which nothing is mounted. */
	const char *errno_; /* Why it is unseen. */
	const bool *guarded; /* Whether the bare directory is immutable. */
};

/* Kubelet's bind of a subPath: pods/UID/volume-subpaths/VOLUME/CONTAINER/INDEX. */
struct subpath_record {
	const char *path; /* The whole path. */
	const char *pod_uid; /* The pod. */
	const char *volume; /* Name of the PersistentVolume or of the volume. */
	const char *container; /* Name of the container. */
	const char *index; /* Index of the volume mount in the container. */
	enum mount_presence mount; /* file: a regular file on which nothing is mounted. */
	const char *errno_; /* Why it is unseen. */
};

/* A raw block volume: pods/UID/volumeDevices/kubernetes.io~csi/SPEC. */
struct block_volume_record {
	const char *path; /* The whole path. */
	const char *pod_uid; /* The pod. */
	const char *spec_name; /* Name of the PersistentVolume. */
	enum mount_presence mount; /* file: a link or a device file on which nothing is mounted. */
	const char *errno_; /* Why it is unseen. */
};

/* How complete the mount records are. */
struct mount_counts_record {
	uint64_t namespaces; /* Mount namespaces that were looked into. */
	uint64_t processes; /* Processes that were looked at. */
	uint64_t unreadable; /* Running processes whose mount namespace could not be told or read. */
	uint64_t mounts; /* volumeMount records. */
	bool truncated; /* True when there is more than the limits let through. */
	uint64_t milliseconds; /* What looking took. */
};

/* A process that holds something of a device open. */
struct holder_record {
	const char *device; /* The device. */
	uint64_t pid; /* Process id. */
	uint64_t start_ticks; /* Start time in clock ticks since boot. */
	const char *comm; /* Command name. */
	struct list cgroup; /* Lines of its cgroup file; they name the pod and the container. */
	uint64_t descriptors; /* Open descriptors on the device. */
	bool working_directory; /* Whether its working directory is there. */
	bool root_directory; /* Whether its root directory is there. */
	uint64_t mappings; /* Mapped regions of files there. */
};

/* How complete the holder records are. */
struct holder_counts_record {
	uint64_t processes; /* Processes that were looked at. */
	uint64_t unreadable; /* Processes that could not be looked into. */
};

/* A process that holds /dev/fuse open, once for each connection: it serves mounts. */
struct daemon_record {
	uint64_t pid; /* Process id. */
	uint64_t start_ticks; /* Start time in clock ticks since boot. */
	uint64_t ppid; /* Its parent. */
	const char *comm; /* Command name. */
	struct list cgroup; /* Lines of its cgroup file; they name the container or the unit. */
	const uint64_t *pid_namespace; /* Inode of its PID namespace. */
	const uint64_t *host_pid_namespace; /* Inode of process 1's. */
	const uint64_t *mount_namespace; /* Inode of its mount namespace. */
	const char *device; /* MAJOR:MINOR of the mounts that the connection serves; null where the kernel does not say, or it serves none. */
	uint64_t descriptors; /* Open descriptors of the connection. */
	struct list named; /* Devices of FUSE mounts of its own mount namespace whose mount point its command line names. */
};

/* How complete the daemon records are. */
struct daemon_counts_record {
	uint64_t processes; /* Processes that were looked at. */
	uint64_t unreadable; /* Processes that could not be looked into. */
};

/* A target is bare and ready to be published to; the agent waits for one line on standard input. */
struct guarded_record {
	const char *target; /* The path. */
	uint64_t layers; /* Dead mounts that were taken off and are kept. */
	bool guarded; /* Whether the bare directory is immutable now. */
	const char *errno_; /* Why it is not; null when guarded or not asked for. */
	const char *fs_type; /* File system of the bare directory. */
};

/* What became of a target. */
struct released_record {
	const char *target; /* The path. */
	enum decision decision; /* What was decided; look: the caller was gone or silent. */
	enum release outcome; /* left: neither; reason says what is there. */
	uint64_t layers; /* Mounts on it now. */
	const char *device; /* Device of the topmost, null when bare. */
	bool guarded; /* Whether the immutable flag is still on. */
	const char *reason; /* Why it is left. */
};

/* A directory has no immutable flag of ours any more. */
struct unguarded_record {
	const char *target; /* The path. */
	bool changed; /* False when it had none. */
	uint64_t layers; /* Mounts on it. */
};

/* All paths answered, or what they said does not mean that they are dead. */
struct probed_record {
	uint64_t paths; /* How many were asked. */
	const char *errno_; /* The first answer that tells neither way, such as EACCES. */
};

/* What answers at a path. */
struct verified_record {
	const char *path; /* The path. */
	const char *device; /* Device of the mount that holds it. */
	const uint64_t *mount_id; /* Id of that mount. */
	const char *root; /* Directory of the file system that this mount shows. */
	uint64_t layers; /* Mounts whose mount point is exactly this path. */
	enum mount_state state; /* What statfs says. */
	const char *errno_; /* What statfs answered when dead or unseen. */
	bool read; /* Whether listing the directory, or reading a byte of the file, answered. */
	const char *read_errno; /* Why not; null when it answered or hung. */
};

/* A layer was detached. */
struct unmounted_record {
	const char *path; /* The path. */
	const char *device; /* Its device. */
	uint64_t mount_id; /* Its mount id. */
	uint64_t layers; /* Mounts left on the path. */
};

/* An empty directory was removed. */
struct removed_record {
	const char *path; /* The path. */
};

/* The directory is there. */
struct made_record {
	const char *path; /* The path. */
	bool made; /* False when it already was. */
};

/* The volume belongs to the group. */
struct owned_record {
	const char *path; /* The path. */
	bool skipped; /* True when the root already matched and that was to be enough. */
	uint64_t visited; /* Files and directories visited. */
	uint64_t changed; /* Those whose group or mode was changed. */
	bool complete; /* False when the deadline or the limit came first, or some failed. */
	uint64_t failed; /* Those that could not be changed. */
	const char *errno_; /* Why the first of these could not. */
};

/* Kubelet's bind of a subPath shows the repaired volume. */
struct rebuilt_record {
	const char *target; /* The path. */
	const char *device; /* Its device now. */
	const char *root; /* Directory or file of the file system that it shows. */
	uint64_t mount_id; /* Its mount id. */
	uint64_t popped; /* Dead layers that were taken off. */
	uint64_t layers; /* Mounts on the path now. */
};

/* A running container sees the repaired mount. */
struct swapped_record {
	const char *target; /* The path in the container. */
	enum swap_mode mode; /* How it was done. */
	const char *beneath_errno; /* Why auto could not mount beneath. */
	uint64_t microseconds; /* All of it. */
	uint64_t window; /* Microseconds from the move until the old mount was gone (beneath, top), or without any mount (detach). */
	const char *device; /* Device of the topmost mount now, as the container's namespace shows it. */
	const char *root; /* Directory of the file system that it shows. */
	uint64_t mount_id; /* Its mount id. */
	uint64_t layers_before; /* Mounts on the target before. */
	uint64_t layers_after; /* Mounts on the target now: 1, or 2 where one dead layer stays below (top). */
	uint64_t popped; /* Dead layers below that were taken off. */
	uint64_t nested; /* Mounts inside the volume that were put back. */
	const uint64_t *shared; /* Peer group of the mount now. */
	const uint64_t *master; /* Peer group it receives from now. */
	const char *options; /* Its flags now. */
	bool read; /* Whether a read in it answered; with --unlisted, opening it. */
	const char *read_errno; /* Why not; null when it answered or hung. */
};

/* A FUSE connection was aborted: its mounts are dead now. */
struct aborted_record {
	const char *device; /* Its device. */
	const uint64_t *waiting; /* Requests that waited just before. */
};

/* A line of kubelet's log that holds one of the texts, oldest first. */
struct log_line_record {
	const char *line; /* The line, at most 4096 bytes of it. */
	const int64_t *at; /* When it was written, seconds since 1970; null when it does not say. */
};

/* Where kubelet's log was read, and how much of it. */
struct log_counts_record {
	enum log_source source; /* Where its standard error goes; pipe: to a process that writes files. */
	const char *path; /* The file as the process that writes it sees it, null for the journal. */
	uint64_t scanned; /* Bytes that were read, the newest ones. */
	bool truncated; /* True when older lines of this kubelet were left out. */
};

/* Why there is no complete answer. */
struct error_record {
	enum error_code code; /* A stable word. */
	const char *errno_; /* What the kernel answered, such as ENOENT. */
	const char *what; /* What failed, in words. */
	const char *path; /* The path in question. */
};

/* Last record; an answer without it was cut off. */
struct end_record {
	bool ok; /* Whether the answer is complete. */
	uint64_t records; /* Records before this one. */
};

void emit_hello(const struct hello_record *record);
void emit_process(const struct process_record *record);
void emit_root(const struct root_record *record);
void emit_limits(const struct limits_record *record);
void emit_usage(const struct usage_record *record);
void emit_watch(const struct watch_record *record);
void emit_watches(const struct watches_record *record);
void emit_entry(const struct entry_record *record);
void emit_entries(const struct entries_record *record);
void emit_host(const struct host_record *record);
void emit_delivery(const struct delivery_record *record);
void emit_announced(const struct announced_record *record);
void emit_renamed(const struct renamed_record *record);
void emit_signalled(const struct signalled_record *record);
void emit_systemctl(const struct systemctl_record *record);
void emit_restarted(const struct restarted_record *record);
void emit_journal(const struct journal_record *record);
void emit_covered(const struct covered_record *record);
void emit_unit(const struct unit_record *record);
void emit_namespace(const struct namespace_record *record);
void emit_volume_mount(const struct volume_mount_record *record);
void emit_volume(const struct volume_record *record);
void emit_staged(const struct staged_record *record);
void emit_subpath(const struct subpath_record *record);
void emit_block_volume(const struct block_volume_record *record);
void emit_mount_counts(const struct mount_counts_record *record);
void emit_holder(const struct holder_record *record);
void emit_holder_counts(const struct holder_counts_record *record);
void emit_daemon(const struct daemon_record *record);
void emit_daemon_counts(const struct daemon_counts_record *record);
void emit_guarded(const struct guarded_record *record);
void emit_released(const struct released_record *record);
void emit_unguarded(const struct unguarded_record *record);
void emit_probed(const struct probed_record *record);
void emit_verified(const struct verified_record *record);
void emit_unmounted(const struct unmounted_record *record);
void emit_removed(const struct removed_record *record);
void emit_made(const struct made_record *record);
void emit_owned(const struct owned_record *record);
void emit_rebuilt(const struct rebuilt_record *record);
void emit_swapped(const struct swapped_record *record);
void emit_aborted(const struct aborted_record *record);
void emit_log_line(const struct log_line_record *record);
void emit_log_counts(const struct log_counts_record *record);
void emit_error(const struct error_record *record);
void emit_end(const struct end_record *record);

/* Says hello. */
struct version_arguments {
	char none;
};
void run_version(const struct version_arguments *arguments);

/* Reads all evidence about kubelet, its root, its watches and its plugin directory. */
struct observe_arguments {
	struct list root; /* A kubelet root to look at besides the ones found. */
	struct list names; /* Command names of a kubelet, comma separated. */
};
void run_observe(const struct observe_arguments *arguments);

/* Tests whether plugins_registry delivers its own events. Writes a dot-file. */
struct listen_arguments {
	pid_t at; /* Process whose view of the file system is meant. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root. */
	uint64_t rounds; /* Rounds of create, rename, unlink. */
};
void run_listen(const struct listen_arguments *arguments);

/* Renames a socket to its dot-name and back, so that kubelet sees it appear. */
struct announce_arguments {
	pid_t at; /* Process whose view of the file system is meant. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root. */
	const char *name; /* Socket, relative to plugins_registry. */
};
void run_announce(const struct announce_arguments *arguments);

/* Announces a socket in the directory that kubelet still watches beneath later mounts. */
struct announce_hidden_arguments {
	pid_t at; /* The kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root. */
	const char *name; /* Socket, relative to plugins_registry. */
	uint64_t inode; /* Inode of the orphaned watch. */
	const char *device; /* MAJOR:MINOR of the orphaned watch. */
};
void run_announce_hidden(const struct announce_hidden_arguments *arguments);

/* Renames a socket that nobody listens on to a dot-name. */
struct retire_arguments {
	pid_t at; /* Process whose view of the file system is meant. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root. */
	const char *name; /* Socket, relative to plugins_registry. */
};
void run_retire(const struct retire_arguments *arguments);

/* Gives a retired socket, or a lone dot-name of an interrupted announcement, its name back. */
struct restore_arguments {
	pid_t at; /* Process whose view of the file system is meant. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root. */
	const char *name; /* The dot-name, relative to plugins_registry. */
};
void run_restore(const struct restore_arguments *arguments);

/* Joins standard input and output to a unix socket. Writes no records; errors go to standard error. */
struct tunnel_arguments {
	pid_t at; /* Process whose view of the file system is meant. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *path; /* The socket. */
};
void run_tunnel(const struct tunnel_arguments *arguments);

/* Ends one process, named by its id and start time. */
struct end_process_arguments {
	pid_t pid; /* Process id. */
	uint64_t start_ticks; /* Its start time. */
	enum signal signal; /* Signal to send. */
	uint64_t wait; /* Milliseconds to wait for its end. */
};
void run_end_process(const struct end_process_arguments *arguments);

/* Runs the host's systemctl. */
struct systemctl_arguments {
	enum verb verb; /* What to do. */
	const char *unit; /* Unit; required by every verb but daemon-reload. */
	struct list property; /* Properties to show. */
	bool detach; /* Go on when the caller is gone; the result goes to the journal. */
	const char *run; /* Journal to write to; required with detach. */
};
void run_systemctl(const struct systemctl_arguments *arguments);

/* Restarts kubelet's unit, or ends its process for its supervisor to start again; waits for the new one. Goes on when the caller is gone. */
struct restart_kubelet_arguments {
	pid_t pid; /* The kubelet. */
	uint64_t start_ticks; /* Its start time. */
	const char *unit; /* Its systemd unit; without it the process is ended. */
	const char *run; /* Journal that gets the result too. */
	uint64_t wait; /* Milliseconds to wait for the new kubelet. */
};
void run_restart_kubelet(const struct restart_kubelet_arguments *arguments);

/* Appends a line to a run's journal on the host and waits until it is stored. */
struct journal_append_arguments {
	const char *run; /* The run. */
	const char *line; /* One JSON object. */
};
void run_journal_append(const struct journal_append_arguments *arguments);

/* Reads the journals. */
struct journal_read_arguments {
	const char *run; /* Only this run. */
};
void run_journal_read(const struct journal_read_arguments *arguments);

/* Removes a run's journal. */
struct journal_clear_arguments {
	const char *run; /* The run. */
};
void run_journal_clear(const struct journal_clear_arguments *arguments);

/* Mounts a tmpfs over plugins_registry, or takes ours off again. */
struct cover_arguments {
	pid_t at; /* The kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root. */
	bool undo; /* Take it off. */
};
void run_cover(const struct cover_arguments *arguments);

/* Writes or removes the mount unit that makes the cover last over a reboot. */
struct unit_file_arguments {
	const char *name; /* File name, ends in plugins_registry.mount. */
	const char *content; /* The whole file; its first line is the marker. */
	bool remove; /* Remove it. */
};
void run_unit_file(const struct unit_file_arguments *arguments);

/* Reads all evidence about CSI volumes and about mounts that can die, in every mount namespace. Writes nothing. */
struct mounts_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root. */
	uint64_t deadline; /* Milliseconds that a file system has to answer. */
};
void run_mounts(const struct mounts_arguments *arguments);

/* Finds the processes that hold something of a device open. Writes nothing. */
struct holders_arguments {
	struct list device; /* MAJOR:MINOR. */
};
void run_holders(const struct holders_arguments *arguments);

/* Finds the processes that serve FUSE mounts, and which. Writes nothing. */
struct daemons_arguments {
	char none;
};
void run_daemons(const struct daemons_arguments *arguments);

/* Takes the dead mounts of one volume off its paths so that a driver can publish again, then waits for commit or rollback on standard input. Goes on when the caller is gone. */
struct replace_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root; targets lie below it. */
	const char *run; /* Journal that gets the result too. */
	struct list target; /* Publish target or staging path; the staging path last. */
	struct list device; /* MAJOR:MINOR of the dead file systems; mounts of others are refused, so without any the targets must be bare. */
	bool no_guard; /* Do not make the bare directories immutable. */
	uint64_t wait; /* Milliseconds to wait for the line. */
	uint64_t deadline; /* Milliseconds that a file system has to answer. */
};
void run_replace(const struct replace_arguments *arguments);

/* Takes a left-over immutable flag off a publish target or staging path, also beneath a mount. */
struct unguard_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root; the target lies below it. */
	const char *target; /* Publish target or staging path. */
};
void run_unguard(const struct unguard_arguments *arguments);

/* Says what answers at a path. */
struct verify_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *path; /* The path. */
	uint64_t deadline; /* Milliseconds that a file system has to answer. */
};
void run_verify(const struct verify_arguments *arguments);

/* Detaches exactly one mount, the topmost on its path. */
struct unmount_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *path; /* The path. */
	const char *device; /* Its MAJOR:MINOR. */
	uint64_t mount_id; /* Its mount id. */
	bool planned; /* It may be alive. */
};
void run_unmount(const struct unmount_arguments *arguments);

/* Removes an empty directory; refuses mounts and all else. */
struct remove_empty_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *path; /* The directory. */
	bool below; /* Empty directories inside it first, the deepest first; no file and no mount. */
};
void run_remove_empty(const struct remove_empty_arguments *arguments);

/* Makes a directory below kubelet's plugins, with those above it that are missing; one that is there stays as it is. */
struct make_directory_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root; the directory lies below plugins in it. */
	const char *path; /* The directory. */
};
void run_make_directory(const struct make_directory_arguments *arguments);

/* Gives a volume to a group as kubelet does for fsGroup. */
struct own_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *path; /* The publish target. */
	uint64_t gid; /* The group. */
	bool read_only; /* The volume is published read-only: bits for reading only. */
	bool on_root_mismatch; /* Do nothing when the volume's root already matches. */
	uint64_t deadline; /* Milliseconds for all of it. */
};
void run_own(const struct own_arguments *arguments);

/* Rebuilds kubelet's bind of a subPath from the repaired volume. */
struct subpath_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *root; /* Kubelet root; the target lies below it. */
	const char *target; /* ROOT/pods/UID/volume-subpaths/VOLUME/CONTAINER/INDEX. */
	const char *from; /* The volume's repaired publish target. */
	const char *sub; /* The subPath, relative to the volume. */
	const char *device; /* MAJOR:MINOR of the dead mounts on the target; without it nothing may be mounted there. */
};
void run_subpath(const struct subpath_arguments *arguments);

/* Replaces a mount in a running container by the repaired one. */
struct swap_arguments {
	pid_t at; /* Process in whose mount namespace the repaired mount is: the kubelet. */
	pid_t pid; /* A process of the container. */
	uint64_t start_ticks; /* Its start time. */
	uint64_t namespace; /* Inode of its mount namespace. */
	const char *target; /* Mount point, as that process sees it. */
	uint64_t mount_id; /* Id of the mount to replace, the topmost on the target. */
	const char *device; /* Its MAJOR:MINOR. */
	const char *from; /* The repaired mount, as the process of --at sees it. */
	const char *from_device; /* MAJOR:MINOR of the repaired mount. */
	const char *sub; /* Directory or file in the repaired mount to show; without it that of the old mount's root. */
	bool whole; /* Show the repaired mount's own root whatever the old mount's root was: for a container bound to the bare directory. */
	enum swap_mode mode; /* How; all but auto is for tests and old kernels. */
	struct list options; /* Flags of the new mount (ro, nosuid, ...) instead of the old one's. */
	enum propagation propagation; /* Propagation of the new mount; keep: that of the old one. */
	bool planned; /* The old mount is alive: a handover, or a container on the bare directory. Exactly the mount of --mount-id and --device is replaced, and nothing else is taken off. */
	bool unlisted; /* Afterwards open what is mounted, and do not list or read it: other containers still change files through the old mount. */
	bool lose_nested; /* Go on when a mount inside the volume can't be put back. */
	uint64_t deadline; /* Milliseconds for all of it. */
};
void run_swap(const struct swap_arguments *arguments);

/* Aborts a hung FUSE connection. */
struct abort_arguments {
	pid_t at; /* Process whose view of the file system is meant: the kubelet. */
	uint64_t start_ticks; /* Its start time; refused when it differs. */
	const char *device; /* MAJOR:MINOR of one of its mounts. */
	bool force; /* Although it answers. */
	uint64_t deadline; /* Milliseconds that it has to answer. */
};
void run_abort(const struct abort_arguments *arguments);

/* Finds texts in the log of a running kubelet, wherever its standard error goes. Writes nothing. */
struct kubelet_log_arguments {
	pid_t pid; /* The kubelet. */
	uint64_t start_ticks; /* Its start time. */
	struct list match; /* A text; a line with any of them counts. */
	uint64_t lines; /* Lines to write, the newest. */
	uint64_t deadline; /* Milliseconds for all of it. */
};
void run_kubelet_log(const struct kubelet_log_arguments *arguments);

/* Answers many commands on one connection: each line of standard input is a command line, words separated by a space. A command that waits for a word on its standard input is begun by `+ID COUNT KIND COMMAND...`, which is answered until so many records of the kind are written; `=ID WORD` says the word and brings the rest, other lines may come between. */
struct serve_arguments {
	char none;
};
void run_serve(const struct serve_arguments *arguments);

/* Asks whether what is mounted at paths of its own container answers: the command of a liveness probe. Needs no right. Exit code 1 when one is dead, hung or absent; those behind it are not asked then. */
struct probe_arguments {
	struct list path; /* A path; outer ones before those nested in them. */
	uint64_t deadline; /* Milliseconds for all of them. */
};
void run_probe(const struct probe_arguments *arguments);

/* Keeps a session open. */
struct hold_arguments {
	uint64_t seconds; /* How long. */
};
void run_hold(const struct hold_arguments *arguments);

enum argument_type {
	ARGUMENT_PATH,
	ARGUMENT_NAME,
	ARGUMENT_TEXT,
	ARGUMENT_WORD,
	ARGUMENT_WORDS,
	ARGUMENT_UNIT,
	ARGUMENT_UINT,
	ARGUMENT_U64,
	ARGUMENT_PID,
	ARGUMENT_DEVICE,
	ARGUMENT_FLAG,
	ARGUMENT_ENUM,
};

struct argument {
	const char *name;
	enum argument_type type;
	bool required;
	bool repeated;
	const char *fallback;
	uint64_t min;
	uint64_t max;
	const char *const *values;
	size_t offset;
};

struct command {
	const char *name;
	const struct argument *arguments;
	size_t argument_count;
	size_t size;
	void (*run)(const void *arguments);
};

extern const struct command commands[];
extern const size_t command_count;

#endif
