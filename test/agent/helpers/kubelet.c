/*
 * Watches ROOT/plugins_registry as kubelet's plugin watcher does: one scan at the start, then inotify alone;
 * acts on the appearance and the removal of names without a leading dot; a name that appears is judged by what
 * its visible path is. One line per action on standard output.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[4096];

static void appeared(const char *name)
{
	char path[8192];
	struct stat found;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (name[0] != '.' && stat(path, &found) == 0 && S_ISSOCK(found.st_mode))
		printf("register %s\n", name);
}

static void scan(void)
{
	DIR *stream = opendir(directory);
	for (struct dirent *entry; stream && (entry = readdir(stream));)
		appeared(entry->d_name);
	closedir(stream);
}

static void handle(const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW)
		printf("overflow\n");
	else if (event->mask & (IN_CREATE | IN_MOVED_TO))
		appeared(event->name);
	else if ((event->mask & IN_DELETE) && event->name[0] != '.')
		printf("deregister %s\n", event->name);
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16] __attribute__((aligned(8)));
	if (argc < 2 || strncmp(argv[1], "--root-dir=", 11) != 0)
		return 2;
	setlinebuf(stdout);
	snprintf(directory, sizeof(directory), "%s/plugins_registry", argv[1] + 11);
	int inotify = inotify_init1(IN_CLOEXEC);
	if (inotify_add_watch(inotify, directory, IN_CREATE | IN_MOVE | IN_DELETE) < 0)
		return 1;
	scan();
	printf("watching\n");
	for (ssize_t length; (length = read(inotify, buffer, sizeof(buffer))) > 0;)
		for (ssize_t at = 0; at < length;) {
			const struct inotify_event *event = (const void *)(buffer + at);
			handle(event);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	return 0;
}
