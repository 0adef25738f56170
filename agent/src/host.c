#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "path.h"
#include "procfs.h"
#include "protocol.gen.h"

enum { DEADLINE = 2000, MAX_FILE = 1 << 14 };

static char *without_newline(char *text)
{
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

void host_hello(void)
{
	struct utsname names;
	if (uname(&names) < 0)
		fail_errno("ask for the kernel's name", NULL);
	const char *uptime = procfs_read("/proc/uptime", NULL);
	struct hello_record hello = {
		.agent = AGENT_VERSION,
		.arch = names.machine,
		.kernel = names.release,
		.boot_id = without_newline(procfs_read("/proc/sys/kernel/random/boot_id", NULL)),
		.uptime = uptime ? strtoull(uptime, NULL, 10) : 0,
	};
	emit_hello(&hello);
}

void run_version(const struct version_arguments *arguments)
{
	(void)arguments;
	host_hello();
}

static char *read_below(int root, const char *path)
{
	int found = path_open(root, path, PATH_FOLLOW);
	int file = found < 0 ? -1 : path_reopen(found, O_RDONLY | O_NONBLOCK);
	if (file < 0)
		return NULL;
	char *text = memory_take(MAX_FILE);
	ssize_t length = read(file, text, MAX_FILE - 1);
	close(file);
	return length < 0 ? NULL : text;
}

static const bool *exists_below(int root, const char *path)
{
	int found = path_open(root, path, PATH_FOLLOW);
	if (found < 0)
		return errno == ENOENT || errno == ENOTDIR ? memory_bool(false) : NULL;
	close(found);
	return memory_bool(true);
}

/* The value of KEY= in os-release(5), its quotes taken off. */
static const char *os_release_value(const struct list *lines, const char *key)
{
	for (size_t i = 0; i < lines->count; i++) {
		const char *line = lines->items[i];
		size_t length = strlen(key);
		if (strncmp(line, key, length) != 0 || line[length] != '=')
			continue;
		const char *value = line + length + 1;
		size_t size = strlen(value);
		bool quoted = size >= 2 && (value[0] == '"' || value[0] == '\'') && value[size - 1] == value[0];
		return quoted ? memory_copy_bytes(value + 1, size - 2) : value;
	}
	return NULL;
}

struct facts {
	int root;
	struct host_record host;
};

static void gather(void *context)
{
	struct facts *facts = context;
	struct host_record *host = &facts->host;
	const char *os_release = read_below(facts->root, "/etc/os-release");
	const char *apparmor = read_below(facts->root, "/sys/module/apparmor/parameters/enabled");
	const char *enforce = read_below(facts->root, "/sys/fs/selinux/enforce");
	struct list lines = os_release ? parse_lines(os_release) : (struct list){0};
	host->os_id = os_release_value(&lines, "ID");
	host->os_version = os_release_value(&lines, "VERSION_ID");
	host->os_name = os_release_value(&lines, "PRETTY_NAME");
	host->systemd = exists_below(facts->root, "/run/systemd/system");
	host->selinux = enforce ? (enforce[0] == '1' ? "enforcing" : "permissive") : NULL;
	host->apparmor = memory_bool(apparmor && apparmor[0] == 'Y');
}

void host_facts(int root)
{
	struct facts *facts = memory_take(sizeof(*facts));
	struct process_stat init;
	const char *filesystems = procfs_read("/proc/filesystems", NULL);
	facts->root = root;
	facts->host.init = procfs_stat(1, &init) ? init.comm : NULL;
	facts->host.fuse = filesystems ? memory_bool(strstr(filesystems, "\tfuse\n")) : NULL;
	if (root >= 0)
		bounded_run(DEADLINE, gather, facts);
	emit_host(&facts->host);
}
