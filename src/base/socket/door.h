/* A place where one other program of this user is let in: a Unix socket in a folder that nobody else can enter. */
#ifndef HBDB_BASE_SOCKET_DOOR_H
#define HBDB_BASE_SOCKET_DOOR_H

#include <stdbool.h>

typedef struct hb_door {
	char folder[64], path[80]; /* of the socket, in the folder */
	int fd;                    /* listens, and does not wait (accept4); -1: closed */
} hb_door;

/* In TMPDIR where that leaves a path that is short enough for a socket, else in /tmp. False with errno: nothing is left of it. */
bool hb_door_open(hb_door *ret);
/* The socket and the folder go; who came in stays. One that is closed stays so. */
void hb_door_close(hb_door *door);

#endif
