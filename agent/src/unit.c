#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "path.h"
#include "procfs.h"
#include "text.h"

enum { DEADLINE = 5000, MAX_CONTENT = 1 << 13 };

static const char folder_path[] = "/etc/systemd/system";
static const char marker[] = "# Managed by kubectl-csi\n";

struct writing {
	const char *name;
	const char *content; /* NULL: remove it */
	struct unit_record done;
};

static bool has_marker(const char *text)
{
	return strncmp(text, marker, strlen(marker)) == 0;
}

/* The file as it is, NULL when there is none; fails when it is not ours. */
static const char *existing(int folder, const struct writing *writing)
{
	int file = openat(folder, writing->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0 && errno == ENOENT)
		return NULL;
	if (file < 0)
		fail_errno("open a unit file", writing->done.path);
	const char *text = procfs_read(memory_format("%s/self/fd/%d", procfs_base, file), NULL);
	close(file);
	if (!text)
		fail_errno("read a unit file", writing->done.path);
	if (!has_marker(text))
		fail(ERROR_CODE_NOT_OURS, "the unit file is not ours", writing->done.path);
	return text;
}

/* Under a temporary name first, so that systemd never reads half a file. */
static void write_whole(int folder, const struct writing *writing)
{
	const char *fresh = memory_format(".%s.new", writing->name);
	size_t length = strlen(writing->content);
	unlinkat(folder, fresh, 0);
	int file = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (file < 0)
		fail_errno("make a unit file", writing->done.path);
	bool stored = write(file, writing->content, length) == (ssize_t)length && fsync(file) == 0;
	close(file);
	if (!stored || renameat(folder, fresh, folder, writing->name) < 0)
		fail_errno("write a unit file", writing->done.path);
}

static void work(void *context)
{
	struct writing *writing = context;
	int found = path_open(path_root_of(1, 0), folder_path, PATH_FOLLOW);
	int folder = found < 0 ? -1 : path_reopen(found, O_RDONLY | O_DIRECTORY);
	if (folder < 0 && errno == ENOENT)
		fail(ERROR_CODE_UNSUPPORTED, "the host has no systemd", folder_path);
	if (folder < 0)
		fail_errno("open a directory", folder_path);
	const char *before = existing(folder, writing);
	writing->done.present = writing->content != NULL;
	writing->done.changed = writing->content ? !before || strcmp(before, writing->content) != 0 : before != NULL;
	if (!writing->done.changed)
		return;
	if (writing->content)
		write_whole(folder, writing);
	else if (unlinkat(folder, writing->name, 0) < 0)
		fail_errno("remove a unit file", writing->done.path);
	fsync(folder);
}

void run_unit_file(const struct unit_file_arguments *arguments)
{
	if (!text_ends_with(arguments->name, "plugins_registry.mount"))
		arguments_refuse("unit-file: --name must end in plugins_registry.mount");
	if (arguments->remove == (arguments->content != NULL))
		arguments_refuse("unit-file: give --content or --remove");
	if (arguments->content && (!has_marker(arguments->content) || strlen(arguments->content) > MAX_CONTENT))
		arguments_refuse(memory_format("unit-file: --content must begin with \"%.*s\" and have at most %d bytes",
			(int)strlen(marker) - 1, marker, MAX_CONTENT));
	struct writing *shared = memory_take(sizeof(*shared));
	*shared = (struct writing){.name = arguments->name, .content = arguments->content};
	shared->done.path = path_join(folder_path, arguments->name);
	bounded_must(DEADLINE, work, shared, "write a unit file", folder_path);
	emit_unit(&shared->done);
}
