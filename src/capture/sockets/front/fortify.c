/* What a program that was compiled with _FORTIFY_SOURCE calls. */
#include "capture/sockets/front/front.h"

void __chk_fail(void) __attribute__((noreturn));
SEEN ssize_t __read_chk(int fd, void *p, size_t bytes, size_t room);
SEEN ssize_t __recv_chk(int fd, void *p, size_t bytes, size_t room, int flags);
SEEN ssize_t __recvfrom_chk(
	int fd, void *p, size_t bytes, size_t room, int flags, struct sockaddr *from, socklen_t *length);

ssize_t __read_chk(int fd, void *p, size_t bytes, size_t room)
{
	if (bytes > room)
		__chk_fail();
	const void *outer = hb__from;
	hb__from = outer ? outer : CALLER;
	ssize_t got = read(fd, p, bytes);
	hb__from = outer;
	return got;
}

ssize_t __recv_chk(int fd, void *p, size_t bytes, size_t room, int flags)
{
	if (bytes > room)
		__chk_fail();
	const void *outer = hb__from;
	hb__from = outer ? outer : CALLER;
	ssize_t got = recv(fd, p, bytes, flags);
	hb__from = outer;
	return got;
}

ssize_t __recvfrom_chk(int fd, void *p, size_t bytes, size_t room, int flags, struct sockaddr *from, socklen_t *length)
{
	if (bytes > room)
		__chk_fail();
	const void *outer = hb__from;
	hb__from = outer ? outer : CALLER;
	ssize_t got = recvfrom(fd, p, bytes, flags, from, length);
	hb__from = outer;
	return got;
}
