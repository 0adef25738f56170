/*
 * listener PATH echo: echoes every connection to its end, then closes it.
 * listener PATH mute: listens with the smallest backlog and never accepts.
 * listener PATH stale: binds and exits, so that the file stays and nobody listens.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void echo(int connection)
{
	static char buffer[1 << 16];
	for (ssize_t got; (got = read(connection, buffer, sizeof(buffer))) > 0;)
		for (ssize_t start = 0, put; start < got && (put = write(connection, buffer + start, got - start)) > 0;)
			start += put;
	close(connection);
}

static int bound(const char *path)
{
	char folder[4096];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(folder, sizeof(folder), "%s", path);
	char *slash = strrchr(folder, '/');
	*slash = '\0';
	if (chdir(folder) < 0)
		return -1;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", slash + 1);
	return bind(listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -1 : listener;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	int listener = bound(argv[1]);
	if (listener < 0)
		return 1;
	int mute = strcmp(argv[2], "mute") == 0;
	if (strcmp(argv[2], "stale") != 0)
		listen(listener, mute ? 0 : 64);
	puts("ready");
	fflush(stdout);
	if (strcmp(argv[2], "stale") == 0)
		return 0;
	for (;;) {
		if (mute)
			pause();
		else
			echo(accept(listener, NULL, NULL));
	}
}
