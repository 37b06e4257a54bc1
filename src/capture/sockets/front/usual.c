/* The functions of the C library that move bytes, as programs call them. Nearly all calls are of a stream at a place where it was called before: they go the quick way,
 * and need little memory and little code, for the system has used the caches meanwhile. bytes.c has all others. */
#include "capture/sockets/front/front.h"

/* A call that goes the quick way: the function `name`, which returns how many bytes it moved. */
#define QUICK(name, call, asked, may_wait)                                        \
	do {                                                                      \
		struct hb_quick q;                                                \
		if (likely(hb__quick(&q, HB_SOCKET_STREAM_##name, fd, CALLER))) { \
			ssize_t got = call;                                       \
			if (unlikely(got < 0))                                    \
				return hb__quick_failed(&q, fd, may_wait);        \
			hb__hot.moved(&q, (size_t)got, asked);                    \
			return got;                                               \
		}                                                                 \
	} while (0)
#define WAITS (!(flags & MSG_DONTWAIT))

static inline size_t room_of(const struct iovec *v, size_t n)
{
	size_t bytes = 0;
	for (size_t i = 0; i < n; i++)
		bytes += v[i].iov_len;
	return bytes;
}

HB_QUICK SEEN ssize_t read(int fd, void *p, size_t bytes)
{
	QUICK(read, hb__hot.read(fd, p, bytes), bytes, true);
	return hb__any_read(fd, p, bytes, CALLER, FRAME);
}

HB_QUICK SEEN ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	QUICK(sendmsg, hb__hot.sendmsg(fd, m, flags), room_of(m->msg_iov, m->msg_iovlen), WAITS);
	return hb__any_sendmsg(fd, m, flags, CALLER, FRAME);
}

HB_QUICK SEEN ssize_t write(int fd, const void *p, size_t bytes)
{
	QUICK(write, hb__hot.write(fd, p, bytes), bytes, true);
	return hb__any_write(fd, p, bytes, CALLER, FRAME);
}

HB_QUICK SEEN ssize_t recv(int fd, void *p, size_t bytes, int flags)
{
	if (likely(!(flags & (MSG_OOB | MSG_PEEK))))
		QUICK(recv, hb__hot.recv(fd, p, bytes, flags), bytes, WAITS);
	return hb__any_recv(fd, p, bytes, flags, CALLER, FRAME);
}

HB_QUICK SEEN ssize_t send(int fd, const void *p, size_t bytes, int flags)
{
	if (likely(!(flags & MSG_OOB)))
		QUICK(send, hb__hot.send(fd, p, bytes, flags), bytes, WAITS);
	return hb__any_send(fd, p, bytes, flags, CALLER, FRAME);
}

HB_QUICK SEEN ssize_t writev(int fd, const struct iovec *v, int n)
{
	QUICK(writev, hb__hot.writev(fd, v, n), room_of(v, (size_t)n), true);
	return hb__any_writev(fd, v, n, CALLER, FRAME);
}

/* What comes beside the bytes is kept, where inputs are. */
HB_QUICK SEEN ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	if (likely(!(flags & MSG_PEEK) && !m->msg_control))
		QUICK(recvmsg, hb__hot.recvmsg(fd, m, flags), room_of(m->msg_iov, m->msg_iovlen), WAITS);
	return hb__any_recvmsg(fd, m, flags, CALLER, FRAME);
}

HB_QUICK SEEN ssize_t readv(int fd, const struct iovec *v, int n)
{
	QUICK(readv, hb__hot.readv(fd, v, n), room_of(v, (size_t)n), true);
	return hb__any_readv(fd, v, n, CALLER, FRAME);
}

HB_QUICK SEEN ssize_t sendto(
	int fd, const void *p, size_t bytes, int flags, const struct sockaddr *to, socklen_t length)
{
	QUICK(sendto, hb__hot.sendto(fd, p, bytes, flags, to, length), bytes, WAITS);
	return hb__any_sendto(fd, p, bytes, flags, to, length, CALLER, FRAME);
}

HB_QUICK SEEN ssize_t recvfrom(
	int fd, void *restrict p, size_t bytes, int flags, struct sockaddr *restrict from, socklen_t *restrict length)
{
	if (likely(!(flags & MSG_PEEK)))
		QUICK(recvfrom, hb__hot.recvfrom(fd, p, bytes, flags, from, length), bytes, WAITS);
	return hb__any_recvfrom(fd, p, bytes, flags, from, length, CALLER, FRAME);
}
