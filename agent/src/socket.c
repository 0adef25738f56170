#include "socket.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "memory.h"
#include "procfs.h"

int socket_connect(int descriptor, int milliseconds)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
	int connected = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connected < 0)
		return -1;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/self/fd/%d", procfs_base, descriptor);
	setsockopt(connected, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(connected, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return connected;
	int number = errno;
	close(connected);
	errno = number;
	return -1;
}

const struct peer *socket_peer(int connected)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);
	struct process_stat stat;
	if (getsockopt(connected, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0)
		return NULL;
	struct peer *peer = memory_take(sizeof(*peer));
	peer->pid = (uint64_t)credentials.pid;
	if (credentials.pid == 0 || !procfs_stat(credentials.pid, &stat))
		return peer;
	const char *cgroup = procfs_read_of(credentials.pid, "cgroup", NULL);
	peer->comm = stat.comm;
	peer->cgroup = cgroup ? parse_lines(cgroup) : (struct list){0};
	peer->start_ticks = memory_uint(stat.start_ticks);
	return peer;
}
