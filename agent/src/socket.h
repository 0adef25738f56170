#ifndef SOCKET_H
#define SOCKET_H

#include "protocol.gen.h"

/*
 * Connects to a unix socket that an O_PATH descriptor stands for, so that neither the 107 bytes of sun_path
 * nor a path swapped meanwhile matter. Waits at most so many milliseconds for a full backlog. Returns the
 * connected descriptor, or -1 with errno (EAGAIN: nobody accepted in time).
 */
int socket_connect(int descriptor, int milliseconds);

/* Who listens at the other end. */
const struct peer *socket_peer(int connected);

#endif
