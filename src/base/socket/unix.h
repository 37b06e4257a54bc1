/* Unix sockets. */
#ifndef HBDB_BASE_SOCKET_UNIX_H
#define HBDB_BASE_SOCKET_UNIX_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The address of a path; false: it is too long for one. */
bool hb_unix_address(const char *path, struct sockaddr_un *ret);
/* A socket (type: SOCK_STREAM, SOCK_DGRAM) connected to it; -1 with errno. ECONNREFUSED: whoever made it is gone. */
int hb_unix_connect(const char *path, int type);
/* A socket at which streams (listening) or datagrams come in, that only this user can reach: its mode is 0600. One of this user that somebody who is gone has left there is taken away;
 * EADDRINUSE: somebody, or another file, is there. -1 with errno. */
int hb_unix_listen(const char *path, int type);
/* One datagram to a socket; a name that begins with @ is an abstract one. wait: for room in it. False with errno. */
bool hb_unix_send(const char *path, const char *bytes, size_t n, bool wait);
/* The user at the other end of a stream's connection; -1: nobody can tell. */
long hb_unix_peer(int fd);

#endif
