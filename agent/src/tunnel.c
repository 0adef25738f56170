#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bounded.h"
#include "failure.h"
#include "memory.h"
#include "path.h"
#include "socket.h"

/* A pipe that poll calls writable takes PIPE_BUF bytes without blocking, and no more for sure (pipe(7)). */
enum { DEADLINE = 3000, CONNECT_DEADLINE = 2000, CHUNK = 1 << 16, PIECE = PIPE_BUF, LINGER = 30000 };

struct connecting {
	int root;
	const char *path;
	int channel;
};

/* Hands an open descriptor to the process at the other end (unix(7)). */
static bool send_descriptor(int channel, int descriptor)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte = 0;
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control)};
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
	return sendmsg(channel, &message, 0) == 1;
}

static int receive_descriptor(int channel)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte;
	int descriptor = -1;
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control)};
	if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return descriptor;
}

static void connect_in_child(void *context)
{
	const struct connecting *connecting = context;
	struct stat stat;
	int socket = path_open(connecting->root, connecting->path, PATH_FOLLOW);
	if (socket < 0 || fstat(socket, &stat) < 0)
		fail_errno("open a socket", connecting->path);
	if (!S_ISSOCK(stat.st_mode))
		fail(ERROR_CODE_NOT_SOCKET, "it is no socket", connecting->path);
	int connected = socket_connect(socket, CONNECT_DEADLINE);
	if (connected < 0 && errno == EAGAIN)
		fail(ERROR_CODE_HUNG, "nobody accepts the connection", connecting->path);
	if (connected < 0 || !send_descriptor(connecting->channel, connected))
		fail_errno("connect to a socket", connecting->path);
}

/* One direction: what was read and not yet written. */
struct flow {
	int from;
	int to;
	size_t start;
	size_t end;
	bool closed;
	char buffer[CHUNK];
};

static bool is_idle(const struct flow *flow)
{
	return flow->start == flow->end;
}

/* False when the flow is at its end: the source is closed and everything was passed on, or nobody takes it. */
static bool move(struct flow *flow, short readable, short writable)
{
	if (is_idle(flow) && readable) {
		ssize_t got = read(flow->from, flow->buffer, sizeof(flow->buffer));
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		flow->start = 0;
		flow->end = got > 0 ? (size_t)got : 0;
	} else if (!is_idle(flow) && writable) {
		size_t left = flow->end - flow->start;
		ssize_t put = write(flow->to, flow->buffer + flow->start, left < PIECE ? left : PIECE);
		if (put < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		flow->start += put > 0 ? (size_t)put : 0;
	}
	return true;
}

/*
 * Passes bytes both ways until the socket's side ends or standard output is closed. The end of standard input
 * is passed on as a half-close; a peer that then stays silent for 30 s is left.
 */
static void pump(int connected)
{
	struct flow *out = memory_take(sizeof(*out)), *in = memory_take(sizeof(*in));
	out->from = in->to = connected;
	out->to = STDOUT_FILENO;
	in->from = STDIN_FILENO;
	for (;;) {
		short wanted = (short)((is_idle(out) ? POLLIN : 0) | (is_idle(in) ? 0 : POLLOUT));
		struct pollfd pollers[] = {
			{.fd = in->closed || !is_idle(in) ? -1 : STDIN_FILENO, .events = POLLIN},
			{.fd = wanted ? connected : -1, .events = wanted},
			{.fd = STDOUT_FILENO, .events = is_idle(out) ? 0 : POLLOUT},
		};
		int ready = poll(pollers, 3, in->closed ? LINGER : -1);
		if (ready == 0 || (ready < 0 && errno != EINTR) || (pollers[2].revents & (POLLERR | POLLHUP)))
			return;
		if (!move(out, pollers[1].revents & (POLLIN | POLLHUP | POLLERR), pollers[2].revents))
			return;
		if (!in->closed && !move(in, pollers[0].revents, pollers[1].revents & (POLLOUT | POLLERR))) {
			shutdown(connected, SHUT_WR);
			in->closed = true;
		}
	}
}

void run_tunnel(const struct tunnel_arguments *arguments)
{
	failure_to_stderr();
	int channel[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, channel) < 0)
		fail_errno("make a pair of sockets", NULL);
	struct connecting connecting = {path_root_of(arguments->at, arguments->start_ticks), arguments->path, channel[1]};
	bounded_must(DEADLINE, connect_in_child, &connecting, "connect to a socket", arguments->path);
	int connected = receive_descriptor(channel[0]);
	if (connected < 0)
		fail(ERROR_CODE_INTERNAL, "the connection was not handed over", arguments->path);
	fcntl(connected, F_SETFL, O_NONBLOCK);
	pump(connected);
	_exit(0);
}
