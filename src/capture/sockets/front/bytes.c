/* What moves bytes: send, receive, read, write and their kin. */
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>

#include "capture/sockets/front/front.h"

static size_t room_of(const struct iovec *v, size_t n)
{
	size_t bytes = 0;
	for (size_t i = 0; i < n; i++)
		bytes += v[i].iov_len;
	return bytes;
}

/* The call moved `got` bytes of a stream. */
static inline void moved(struct hb_talk *t, ssize_t got, size_t asked)
{
	int64_t results[] = {got, (int64_t)asked};
	hb__door->end(t, results, (size_t)got < asked ? 2 : 1);
}

/* One datagram went or came. cut: there was more of it. */
static inline void datagram(struct hb_talk *t, ssize_t got, const struct iovec *v, size_t n, const struct sockaddr *peer,
	socklen_t length, bool cut)
{
	int64_t results[] = {
		got, cut ? 0 : hb__door->hash(v, n, (size_t)got), hb__door->address(peer, peer ? length : 0)};
	hb__door->end(t, results, 3);
}

/* One call that moves bytes out of memory or into it: the function `name`, which returns how many. */
#define MOVES(t, name, call, vector, count, asked, peer, length, cut, may_wait)                                   \
	do {                                                                                                      \
		(t).function = hb__is_datagram(&(t)) ? HB_SOCKET_DATAGRAM_##name : HB_SOCKET_STREAM_##name;       \
		hb__door->begin(&(t));                                                                            \
		got = call;                                                                                       \
		if (unlikely(got < 0))                                                                            \
			hb__failed(&(t), may_wait);                                                               \
		else if (hb__is_datagram(&(t)))                                                                   \
			datagram(&(t), got, vector, count, peer, length, cut);                                    \
		else                                                                                              \
			moved(&(t), got, asked);                                                                  \
		return got;                                                                                       \
	} while (0)
#define ONE(p, bytes) (&(struct iovec){(void *)(uintptr_t)(p), bytes})

/* ---- out ---- */

SEEN ssize_t send(int fd, const void *p, size_t bytes, int flags)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(send)(fd, p, bytes, flags);
	MOVES(t, send, NEXT(send)(fd, p, bytes, flags), ONE(p, bytes), 1, bytes, NULL, 0, false, !(flags & MSG_DONTWAIT));
}

SEEN ssize_t sendto(int fd, const void *p, size_t bytes, int flags, const struct sockaddr *to, socklen_t length)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(sendto)(fd, p, bytes, flags, to, length);
	MOVES(t, sendto, NEXT(sendto)(fd, p, bytes, flags, to, length), ONE(p, bytes), 1, bytes, to, length, false,
		!(flags & MSG_DONTWAIT));
}

SEEN ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(sendmsg)(fd, m, flags);
	MOVES(t, sendmsg, NEXT(sendmsg)(fd, m, flags), m->msg_iov, m->msg_iovlen, room_of(m->msg_iov, m->msg_iovlen),
		m->msg_name, m->msg_namelen, false, !(flags & MSG_DONTWAIT));
}

SEEN ssize_t write(int fd, const void *p, size_t bytes)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(write)(fd, p, bytes);
	MOVES(t, write, NEXT(write)(fd, p, bytes), ONE(p, bytes), 1, bytes, NULL, 0, false, true);
}

SEEN ssize_t writev(int fd, const struct iovec *v, int n)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(writev)(fd, v, n);
	MOVES(t, writev, NEXT(writev)(fd, v, n), v, (size_t)n, room_of(v, (size_t)n), NULL, 0, false, true);
}

/* What it sends is in a file: of datagrams no hash is known. */
#define SENDFILE(name, offset_t)                                                                                \
	SEEN ssize_t name(int out, int in, offset_t *offset, size_t bytes)                                      \
	{                                                                                                       \
		struct hb_talk t;                                                                               \
		ssize_t got;                                                                                    \
		if (!hb__enter(&t, out, CALLER, FRAME))                                                         \
			return NEXT(name)(out, in, offset, bytes);                                              \
		MOVES(t, sendfile, NEXT(name)(out, in, offset, bytes), NULL, 0, bytes, NULL, 0, true, true);    \
	}
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

/* Both sides may lead somewhere: bytes come in, and go out. */
SEEN ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t bytes, unsigned flags)
{
	struct hb_talk t, u;
	bool takes = hb__enter(&t, in, CALLER, FRAME), puts = hb__enter(&u, out, CALLER, FRAME);
	ssize_t got;
	t.function = HB_SOCKET_STREAM_splice_from;
	u.function = HB_SOCKET_STREAM_splice_to;
	if (puts)
		hb__door->begin(&u);
	if (takes)
		hb__door->begin(&t);
	got = NEXT(splice)(in, in_at, out, out_at, bytes, flags);
	if (takes) {
		if (got < 0)
			hb__failed(&t, !(flags & SPLICE_F_NONBLOCK));
		else
			moved(&t, got, bytes);
	}
	if (puts && got < 0)
		hb__failed(&u, !(flags & SPLICE_F_NONBLOCK));
	else if (puts)
		moved(&u, got, bytes);
	return got;
}

/* ---- in ---- */

SEEN ssize_t recv(int fd, void *p, size_t bytes, int flags)
{
	struct hb_talk t;
	ssize_t got;
	if (flags & MSG_PEEK || !hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(recv)(fd, p, bytes, flags);
	MOVES(t, recv, NEXT(recv)(fd, p, bytes, flags), ONE(p, bytes), 1, bytes, NULL, 0, (size_t)got > bytes,
		!(flags & MSG_DONTWAIT));
}

SEEN ssize_t recvfrom(
	int fd, void *restrict p, size_t bytes, int flags, struct sockaddr *restrict from, socklen_t *restrict length)
{
	struct hb_talk t;
	ssize_t got;
	if (flags & MSG_PEEK || !hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(recvfrom)(fd, p, bytes, flags, from, length);
	struct sockaddr_storage own;
	socklen_t own_length = sizeof own;
	bool asks = hb__is_datagram(&t) && !from; /* the program does not want to know who it is */
	struct sockaddr *at = asks ? (struct sockaddr *)&own : from;
	socklen_t *at_length = asks ? &own_length : length;
	MOVES(t, recvfrom, NEXT(recvfrom)(fd, p, bytes, flags, at, at_length), ONE(p, bytes), 1, bytes, at,
		at_length ? *at_length : 0, (size_t)got > bytes, !(flags & MSG_DONTWAIT));
}

SEEN ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	struct hb_talk t;
	ssize_t got;
	if (flags & MSG_PEEK || !hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(recvmsg)(fd, m, flags);
	MOVES(t, recvmsg, NEXT(recvmsg)(fd, m, flags), m->msg_iov, m->msg_iovlen, room_of(m->msg_iov, m->msg_iovlen),
		m->msg_name, m->msg_namelen, m->msg_flags & MSG_TRUNC, !(flags & MSG_DONTWAIT));
}

SEEN ssize_t read(int fd, void *p, size_t bytes)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(read)(fd, p, bytes);
	MOVES(t, read, NEXT(read)(fd, p, bytes), ONE(p, bytes), 1, bytes, NULL, 0, false, true);
}

SEEN ssize_t readv(int fd, const struct iovec *v, int n)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(readv)(fd, v, n);
	MOVES(t, readv, NEXT(readv)(fd, v, n), v, (size_t)n, room_of(v, (size_t)n), NULL, 0, false, true);
}

/* ---- several messages ---- */

#define AT_ONCE 64

/* Of streams the bytes of all of them are one. */
static void several(struct hb_talk *t, const struct mmsghdr *m, int n)
{
	int64_t results[3 * AT_ONCE], bytes = 0, asked = 0;
	for (int i = 0; i < n; i++) {
		bytes += m[i].msg_len;
		asked += (int64_t)room_of(m[i].msg_hdr.msg_iov, m[i].msg_hdr.msg_iovlen);
	}
	if (!hb__is_datagram(t)) {
		moved(t, bytes, (size_t)asked);
		return;
	}
	for (int i = 0; i < n && i < AT_ONCE; i++) {
		const struct msghdr *h = &m[i].msg_hdr;
		results[3 * i] = m[i].msg_len;
		results[3 * i + 1] = h->msg_flags & MSG_TRUNC ? 0 : hb__door->hash(h->msg_iov, h->msg_iovlen, m[i].msg_len);
		results[3 * i + 2] = hb__door->address(h->msg_name, h->msg_name ? h->msg_namelen : 0);
	}
	hb__door->end(t, results, 3 * (size_t)n);
}

SEEN int sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	struct hb_talk t;
	if (!n || !hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(sendmmsg)(fd, m, n, flags);
	t.function = hb__is_datagram(&t) ? HB_SOCKET_DATAGRAM_sendmmsg : HB_SOCKET_STREAM_sendmmsg;
	hb__door->begin(&t);
	/* the library may send fewer than it is asked to */
	int got = NEXT(sendmmsg)(fd, m, n < AT_ONCE ? n : AT_ONCE, flags);
	if (got < 0)
		hb__failed(&t, !(flags & MSG_DONTWAIT));
	else
		several(&t, m, got);
	return got;
}

SEEN int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *limit)
{
	struct hb_talk t;
	if (!n || flags & MSG_PEEK || !hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(recvmmsg)(fd, m, n, flags, limit);
	t.function = hb__is_datagram(&t) ? HB_SOCKET_DATAGRAM_recvmmsg : HB_SOCKET_STREAM_recvmmsg;
	hb__door->begin(&t);
	int got = NEXT(recvmmsg)(fd, m, n < AT_ONCE ? n : AT_ONCE, flags, limit);
	if (got < 0)
		hb__failed(&t, !(flags & MSG_DONTWAIT));
	else
		several(&t, m, got);
	return got;
}

/* ---- what a program that was compiled with _FORTIFY_SOURCE calls ---- */

void __chk_fail(void) __attribute__((noreturn));
SEEN ssize_t __read_chk(int fd, void *p, size_t bytes, size_t room);
SEEN ssize_t __recv_chk(int fd, void *p, size_t bytes, size_t room, int flags);
SEEN ssize_t __recvfrom_chk(
	int fd, void *p, size_t bytes, size_t room, int flags, struct sockaddr *from, socklen_t *length);

ssize_t __read_chk(int fd, void *p, size_t bytes, size_t room)
{
	struct hb_talk t;
	ssize_t got;
	if (bytes > room)
		__chk_fail();
	if (!hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(read)(fd, p, bytes);
	MOVES(t, read, NEXT(read)(fd, p, bytes), ONE(p, bytes), 1, bytes, NULL, 0, false, true);
}

ssize_t __recv_chk(int fd, void *p, size_t bytes, size_t room, int flags)
{
	struct hb_talk t;
	ssize_t got;
	if (bytes > room)
		__chk_fail();
	if (flags & MSG_PEEK || !hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(recv)(fd, p, bytes, flags);
	MOVES(t, recv, NEXT(recv)(fd, p, bytes, flags), ONE(p, bytes), 1, bytes, NULL, 0, (size_t)got > bytes,
		!(flags & MSG_DONTWAIT));
}
