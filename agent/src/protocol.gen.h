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
