#ifndef PROCFS_H
#define PROCFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol.gen.h"

/* Files of /proc that never block, whatever state file systems are in. */

/* Where /proc is; another value after the mount namespace changed (namespace_enter). */
extern const char *procfs_base;

/* The content of a file, NUL-terminated; NULL with errno when it can't be read. Its length in *length if asked. */
char *procfs_read(const char *path, size_t *length);

/* The same for /proc/PID/NAME. */
char *procfs_read_of(pid_t pid, const char *name, size_t *length);

/* Where the link /proc/PID/NAME points, NULL with errno. */
char *procfs_link_of(pid_t pid, const char *name);

/* The inode in a link such as "mnt:[4026531841]", NULL when the link can't be read. */
const uint64_t *procfs_namespace_of(pid_t pid, const char *name);

struct process_stat {
	pid_t pid;
	pid_t ppid;
	char state;
	const char *comm;
	uint64_t start_ticks;
};

/* Takes /proc/PID/stat apart; false when it is not of that form. The comm may hold blanks and parentheses. */
bool parse_stat(const char *text, struct process_stat *stat);

/* Takes a NUL-separated command line apart. */
struct list parse_command_line(const char *text, size_t length);

/* The lines of a text. */
struct list parse_lines(const char *text);

/* The number after KEY at the start of a line of /proc/PID/status or a fdinfo file; false without it. */
bool parse_keyed_number(const char *text, const char *key, uint64_t *value);

bool procfs_stat(pid_t pid, struct process_stat *stat);

/* The effective user id (/proc/PID/status), false when the process is gone. */
bool procfs_uid(pid_t pid, uint64_t *uid);

/* Calls visit for every process. */
void procfs_each(void (*visit)(pid_t pid, void *context), void *context);

/* Calls visit for every inotify descriptor of a process; false with errno when they can't be read. */
bool procfs_each_inotify(pid_t pid, void (*visit)(unsigned descriptor, const char *fdinfo, void *context), void *context);

/* Fails unless that process lives and, when start_ticks is not 0, started then. */
void procfs_must_be(pid_t pid, uint64_t start_ticks);

#endif
