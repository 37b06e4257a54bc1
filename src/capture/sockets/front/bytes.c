/* What moves bytes: send, receive, read, write and their kin. */
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>

#include "capture/sockets/front/again/again.h"

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
static inline void datagram(struct hb_talk *t, ssize_t got, const struct iovec *v, size_t n,
	const struct sockaddr *peer, socklen_t length, bool cut)
{
	int64_t results[] = {
		got, cut ? 0 : hb__door->hash(v, n, (size_t)got), hb__door->address(peer, peer ? length : 0)};
	hb__door->end(t, results, 3);
}

/* Whom it comes from goes there. */
struct from {
	struct sockaddr *address;
	socklen_t *length;
};

static bool blocks(int fd) { return !(NEXT(fcntl)(fd, F_GETFL) & O_NONBLOCK); }

/* As it was recorded: *ret_got is its result. False: the record has nothing. */
static bool again(struct hb_talk *t, const struct iovec *v, size_t n, size_t asked, const struct from *from,
	bool may_wait, ssize_t *ret_got)
{
	struct hb_told told;
	int64_t got;
	bool waits = may_wait && blocks(t->fd);
	if (!hb__again(t, !waits, &told, &got)) {
		*ret_got = got;
		return t->again;
	}
	if (t->with && from && (hb__is_datagram(t) || hb__from_outside(t, 0)))
		hb__again_control(t, 0, t->with);
	if (hb__is_datagram(t))
		got = from ? hb__again_receive(t, &told, 0, v, n, from->address, from->length)
			   : hb__again_send(t, &told, 0, v, n, asked);
	else
		got = t->function == HB_SOCKET_STREAM_peek ? hb__again_peek(t, &told, v, n)
		      : from                               ? hb__again_in(t, &told, v, n)
							   : hb__again_out(t, &told, v, n, asked);
	*ret_got = hb__again_over(t, &told, got);
	return true;
}
#define OUT NULL
#define IN(address, length) (&(struct from){address, length})

/* One call that moves bytes out of memory or into it: the function `name`, which returns how many. way: OUT or IN. */
#define MOVES(t, name, way, call, vector, count, asked, peer, length, cut, may_wait)                        \
	do {                                                                                                \
		(t).function = hb__is_datagram(&(t)) ? HB_SOCKET_DATAGRAM_##name : HB_SOCKET_STREAM_##name; \
		hb__door->begin(&(t));                                                                      \
		if (unlikely((t).again) && again(&(t), vector, count, asked, way, may_wait, &got))          \
			return got;                                                                         \
		got = call;                                                                                 \
		if (unlikely(got < 0))                                                                      \
			hb__failed(&(t), may_wait);                                                         \
		else if ((way) || !hb__is_datagram(&(t)))                                                   \
			hb__door->moved(&(t), vector, count, (size_t)got, way);                             \
		if (got < 0)                                                                                \
			return got;                                                                         \
		if (hb__is_datagram(&(t)))                                                                  \
			datagram(&(t), got, vector, count, peer, length, cut);                              \
		else                                                                                        \
			moved(&(t), got, asked);                                                            \
		return got;                                                                                 \
	} while (0)
/* Likewise of a receive that leaves what it gets where it was. */
#define PEEKS(t, call, vector, count, asked, way, peer, length, cut, may_wait) \
	MOVES(t, peek, way, call, vector, count, asked, peer, length, cut, may_wait)
#define ONE(p, bytes) (&(struct iovec){(void *)(uintptr_t)(p), bytes})

/* ---- out ---- */

ssize_t hb__any_send(int fd, const void *p, size_t bytes, int flags, const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (unlikely(flags & MSG_OOB) && bytes == 1) /* see receive_urgent */
		return NEXT(send)(fd, p, bytes, flags);
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(send)(fd, p, bytes, flags);
	MOVES(t, send, OUT, NEXT(send)(fd, p, bytes, flags), ONE(p, bytes), 1, bytes, NULL, 0, false,
		!(flags & MSG_DONTWAIT));
}

ssize_t hb__any_sendto(int fd, const void *p, size_t bytes, int flags, const struct sockaddr *to, socklen_t length,
	const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(sendto)(fd, p, bytes, flags, to, length);
	MOVES(t, sendto, OUT, NEXT(sendto)(fd, p, bytes, flags, to, length), ONE(p, bytes), 1, bytes, to, length, false,
		!(flags & MSG_DONTWAIT));
}

/* Descriptors go with the first byte: it is sent, or received, by itself. */
static void with_descriptors(const struct hb_talk *t, struct msghdr *m, int flags, bool out)
{
	struct iovec first = {.iov_len = 1};
	for (size_t i = 0; i < m->msg_iovlen && !first.iov_base; i++)
		if (m->msg_iov[i].iov_len)
			first.iov_base = m->msg_iov[i].iov_base;
	struct msghdr one = *m;
	one.msg_iov = &first;
	one.msg_iovlen = 1;
	one.msg_name = NULL;
	ssize_t got;
	do
		got = out ? NEXT(sendmsg)(t->fd, &one, flags & ~MSG_DONTWAIT)
			  : NEXT(recvmsg)(t->fd, &one, flags & ~MSG_DONTWAIT);
	while (got < 0 && (errno == EAGAIN || errno == EINTR) && hb__again_wait(t->fd, out ? POLLOUT : POLLIN));
	m->msg_controllen = one.msg_controllen;
	m->msg_flags = one.msg_flags;
}

/* Replay, of a stream: descriptors are handed on. False: there are none, or it is not so. */
static bool passes(struct hb_talk *t, struct msghdr *m, int flags, bool out, ssize_t *ret_got)
{
	struct hb_told told;
	struct iovec rest[16];
	int64_t got;
	if (likely(!t->again) || !m->msg_control || !m->msg_controllen || hb__is_datagram(t) || hb__door->alone())
		return false;
	t->function = out ? HB_SOCKET_STREAM_sendmsg : HB_SOCKET_STREAM_recvmsg;
	hb__door->begin(t);
	if (!hb__again(t, flags & MSG_DONTWAIT || !blocks(t->fd), &told, &got)) {
		*ret_got = t->again ? (ssize_t)got
			   : out    ? NEXT(sendmsg)(t->fd, m, flags)
				    : NEXT(recvmsg)(t->fd, m, flags);
		return true;
	}
	if (hb__from_outside(t, 0)) {
		if (!out)
			hb__again_control(t, 0, m);
		got = out ? hb__again_out(t, &told, m->msg_iov, m->msg_iovlen, room_of(m->msg_iov, m->msg_iovlen))
			  : hb__again_in(t, &told, m->msg_iov, m->msg_iovlen);
	} else if (told.results[0] > 0) {
		with_descriptors(t, m, flags, out);
		size_t n = (size_t)hb__from_byte(m->msg_iov, m->msg_iovlen, 1, (size_t)told.results[0] - 1, rest);
		struct hb_told less = told;
		less.results[0]--;
		less.results[1]--;
		if (less.results[0] > 0)
			got = out ? hb__again_out(t, &less, rest, n, room_of(m->msg_iov, m->msg_iovlen) - 1)
				  : hb__again_in(t, &less, rest, n);
		got = told.results[0];
	} else {
		m->msg_controllen = 0;
		got = hb__again_in(t, &told, m->msg_iov, m->msg_iovlen);
	}
	*ret_got = (ssize_t)hb__again_over(t, &told, got);
	return true;
}

ssize_t hb__any_sendmsg(int fd, const struct msghdr *m, int flags, const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(sendmsg)(fd, m, flags);
	struct msghdr own = *m;
	if (passes(&t, &own, flags, true, &got))
		return got;
	MOVES(t, sendmsg, OUT, NEXT(sendmsg)(fd, m, flags), m->msg_iov, m->msg_iovlen,
		room_of(m->msg_iov, m->msg_iovlen), m->msg_name, m->msg_namelen, false, !(flags & MSG_DONTWAIT));
}

ssize_t hb__any_write(int fd, const void *p, size_t bytes, const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(write)(fd, p, bytes);
	MOVES(t, write, OUT, NEXT(write)(fd, p, bytes), ONE(p, bytes), 1, bytes, NULL, 0, false, true);
}

ssize_t hb__any_writev(int fd, const struct iovec *v, int n, const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(writev)(fd, v, n);
	MOVES(t, writev, OUT, NEXT(writev)(fd, v, n), v, (size_t)n, room_of(v, (size_t)n), NULL, 0, false, true);
}

/* What it sends is in a file: of datagrams no hash is known. */
#define SENDFILE(name, offset_t)                                                                                    \
	SEEN ssize_t name(int out, int in, offset_t *offset, size_t bytes)                                          \
	{                                                                                                           \
		struct hb_talk t;                                                                                   \
		ssize_t got;                                                                                        \
		if (!hb__enter(&t, out, CALLER, FRAME))                                                             \
			return NEXT(name)(out, in, offset, bytes);                                                  \
		if (unlikely(t.again)) {                                                                            \
			struct hb_told told;                                                                        \
			int64_t answer;                                                                             \
			t.function = hb__is_datagram(&t) ? HB_SOCKET_DATAGRAM_sendfile : HB_SOCKET_STREAM_sendfile; \
			hb__door->begin(&t);                                                                        \
			bool there = hb__again(&t, !blocks(out), &told, &answer);                                   \
			if (there && hb__from_outside(&t, 0)) {                                                     \
				hb__alone_drop(in, (off64_t *)offset, (size_t)told.results[0]);                     \
				return (ssize_t)hb__again_over(&t, &told, told.results[0]);                         \
			}                                                                                           \
			if (!there) {                                                                               \
				if (t.again)                                                                        \
					return (ssize_t)answer;                                                     \
				got = NEXT(name)(out, in, offset, bytes);                                           \
				moved(&t, got < 0 ? -errno : got, bytes);                                           \
				return got;                                                                         \
			}                                                                                           \
			size_t done = 0, wanted = (size_t)told.results[0];                                          \
			while (done < wanted) {                                                                     \
				got = NEXT(name)(out, in, offset, wanted - done);                                   \
				if (got <= 0 && (!got || errno != EAGAIN || !hb__again_wait(out, POLLOUT)))         \
					break;                                                                      \
				done += got > 0 ? (size_t)got : 0;                                                  \
			}                                                                                           \
			if (done < wanted && !hb__door->job_ends())                                                 \
				hb__door->differs(&t, "fewer bytes can be sent than in the recorded run");          \
			return (ssize_t)hb__again_over(&t, &told, (int64_t)done);                                   \
		}                                                                                                   \
		MOVES(t, sendfile, OUT, NEXT(name)(out, in, offset, bytes), NULL, 0, bytes, NULL, 0, true, true);   \
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
	if (unlikely((takes && t.again) || (puts && u.again)))
		return hb__again_splice(takes ? &t : NULL, puts ? &u : NULL, in, in_at, out, out_at, flags);
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

/* One receive by recvmsg, which says whether there was more of a datagram; *ret_length may be NULL. */
static ssize_t receive(
	int fd, void *p, size_t bytes, int flags, struct sockaddr *from, socklen_t *ret_length, bool *ret_cut)
{
	struct iovec v = {p, bytes};
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_name = from, .msg_namelen = from && ret_length ? *ret_length : 0};
	ssize_t got = NEXT(recvmsg)(fd, &m, flags);
	*ret_cut = got >= 0 && m.msg_flags & MSG_TRUNC;
	if (got >= 0 && from && ret_length)
		*ret_length = m.msg_namelen;
	return got;
}

/* Of a datagram, by which of the functions: recv, recvfrom, read and their kin. from: NULL, the program does not ask. */
static ssize_t datagram_in(struct hb_talk *t, enum hb_socket_function function, void *p, size_t bytes, int flags,
	struct sockaddr *from, socklen_t *length)
{
	struct sockaddr_storage own;
	socklen_t own_length = sizeof own;
	bool cut = false, may_wait = !(flags & MSG_DONTWAIT);
	struct sockaddr *at = from ? from : (struct sockaddr *)&own;
	socklen_t *at_length = from ? length : &own_length;
	ssize_t got;
	t->function = flags & MSG_PEEK ? HB_SOCKET_DATAGRAM_peek : function;
	hb__door->begin(t);
	if (unlikely(t->again) && again(t, ONE(p, bytes), 1, bytes, IN(from, length), may_wait, &got))
		return got;
	got = receive(t->fd, p, bytes, flags, at, at_length, &cut);
	if (unlikely(got < 0))
		hb__failed(t, may_wait);
	else {
		hb__door->moved(t, ONE(p, bytes), 1, (size_t)got, true);
		datagram(t, got, ONE(p, bytes), 1, at, *at_length, cut);
	}
	return got;
}

/* Urgent data stands beside the bytes of the stream, whose places would be others if it counted: it is no event. In a replay it is on its way. */
static ssize_t receive_urgent(int fd, void *p, size_t bytes, int flags)
{
	if (unlikely(hb__recorded_ends && hb__recorded(fd) >= 0))
		hb__again_wait(fd, POLLPRI);
	return NEXT(recv)(fd, p, bytes, flags);
}

ssize_t hb__any_recv(int fd, void *p, size_t bytes, int flags, const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (unlikely(flags & MSG_OOB))
		return receive_urgent(fd, p, bytes, flags);
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(recv)(fd, p, bytes, flags);
	if (hb__is_datagram(&t))
		return datagram_in(&t, HB_SOCKET_DATAGRAM_recv, p, bytes, flags, NULL, NULL);
	if (flags & MSG_PEEK)
		PEEKS(t, NEXT(recv)(fd, p, bytes, flags), ONE(p, bytes), 1, bytes, IN(NULL, NULL), NULL, 0, false,
			!(flags & MSG_DONTWAIT));
	MOVES(t, recv, IN(NULL, NULL), NEXT(recv)(fd, p, bytes, flags), ONE(p, bytes), 1, bytes, NULL, 0, false,
		!(flags & MSG_DONTWAIT));
}

ssize_t hb__any_recvfrom(int fd, void *p, size_t bytes, int flags, struct sockaddr *from, socklen_t *length,
	const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(recvfrom)(fd, p, bytes, flags, from, length);
	if (hb__is_datagram(&t))
		return datagram_in(&t, HB_SOCKET_DATAGRAM_recvfrom, p, bytes, flags, from, length);
	if (flags & MSG_PEEK)
		PEEKS(t, NEXT(recvfrom)(fd, p, bytes, flags, from, length), ONE(p, bytes), 1, bytes, IN(from, length),
			NULL, 0, false, !(flags & MSG_DONTWAIT));
	MOVES(t, recvfrom, IN(from, length), NEXT(recvfrom)(fd, p, bytes, flags, from, length), ONE(p, bytes), 1, bytes,
		NULL, 0, false, !(flags & MSG_DONTWAIT));
}

/* Of a datagram, also where the program does not ask whom it comes from: a replay finds it by that. */
static ssize_t message_in(struct hb_talk *t, enum hb_socket_function function, struct msghdr *m, int flags)
{
	struct sockaddr_storage from;
	struct msghdr own = *m;
	bool may_wait = !(flags & MSG_DONTWAIT);
	ssize_t got;
	t->function = function;
	hb__door->begin(t);
	if (unlikely(t->again) && again(t, m->msg_iov, m->msg_iovlen, room_of(m->msg_iov, m->msg_iovlen),
					  IN(m->msg_name, &m->msg_namelen), may_wait, &got))
		return got;
	if (!own.msg_name) {
		own.msg_name = &from;
		own.msg_namelen = sizeof from;
	}
	got = NEXT(recvmsg)(t->fd, &own, flags);
	if (unlikely(got < 0)) {
		hb__failed(t, may_wait);
		return got;
	}
	m->msg_namelen = m->msg_name ? own.msg_namelen : m->msg_namelen;
	m->msg_controllen = own.msg_controllen;
	m->msg_flags = own.msg_flags;
	hb__door->moved(t, m->msg_iov, m->msg_iovlen, (size_t)got, true);
	datagram(t, got, m->msg_iov, m->msg_iovlen, own.msg_name, own.msg_namelen, m->msg_flags & MSG_TRUNC);
	return got;
}

ssize_t hb__any_recvmsg(int fd, struct msghdr *m, int flags, const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(recvmsg)(fd, m, flags);
	t.with = m;
	if (flags & MSG_PEEK)
		PEEKS(t, NEXT(recvmsg)(fd, m, flags), m->msg_iov, m->msg_iovlen, room_of(m->msg_iov, m->msg_iovlen),
			IN(m->msg_name, &m->msg_namelen), m->msg_name, m->msg_namelen, m->msg_flags & MSG_TRUNC,
			!(flags & MSG_DONTWAIT));
	if (passes(&t, m, flags, false, &got))
		return got;
	if (hb__is_datagram(&t))
		return message_in(&t, HB_SOCKET_DATAGRAM_recvmsg, m, flags);
	MOVES(t, recvmsg, IN(m->msg_name, &m->msg_namelen), NEXT(recvmsg)(fd, m, flags), m->msg_iov, m->msg_iovlen,
		room_of(m->msg_iov, m->msg_iovlen), m->msg_name, m->msg_namelen, m->msg_flags & MSG_TRUNC,
		!(flags & MSG_DONTWAIT));
}

ssize_t hb__any_read(int fd, void *p, size_t bytes, const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(read)(fd, p, bytes);
	if (hb__is_datagram(&t) && bytes)
		return datagram_in(&t, HB_SOCKET_DATAGRAM_read, p, bytes, 0, NULL, NULL);
	MOVES(t, read, IN(NULL, NULL), NEXT(read)(fd, p, bytes), ONE(p, bytes), 1, bytes, NULL, 0, false, true);
}

ssize_t hb__any_readv(int fd, const struct iovec *v, int n, const void *pc, const void *cfa)
{
	struct hb_talk t;
	ssize_t got;
	if (!hb__enter(&t, fd, pc, cfa))
		return NEXT(readv)(fd, v, n);
	struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)v, .msg_iovlen = (size_t)n};
	if (hb__is_datagram(&t))
		return message_in(&t, HB_SOCKET_DATAGRAM_readv, &m, 0);
	MOVES(t, readv, IN(NULL, NULL), NEXT(readv)(fd, v, n), v, (size_t)n, room_of(v, (size_t)n), NULL, 0, false,
		true);
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
		results[3 * i + 1] =
			h->msg_flags & MSG_TRUNC ? 0 : hb__door->hash(h->msg_iov, h->msg_iovlen, m[i].msg_len);
		results[3 * i + 2] = hb__door->address(h->msg_name, h->msg_name ? h->msg_namelen : 0);
	}
	hb__door->end(t, results, 3 * (size_t)n);
}

/* Of a stream, whose bytes are recorded as one: all messages that had room for them, which were filled one after the other. */
static int stream_again(struct hb_talk *t, const struct hb_told *told, struct mmsghdr *m, unsigned n, bool out)
{
	struct iovec v[AT_ONCE];
	size_t pieces = 0, room = 0, asked = (size_t)told->results[told->n > 1], left = (size_t)told->results[0];
	unsigned used = 0;
	for (; used < n && (!used || room < asked); used++) {
		const struct msghdr *h = &m[used].msg_hdr;
		for (size_t i = 0; i < h->msg_iovlen && pieces < AT_ONCE; i++)
			v[pieces++] = h->msg_iov[i];
		size_t own = room_of(h->msg_iov, h->msg_iovlen), some = own < left ? own : left;
		m[used].msg_len = (unsigned)some;
		left -= some;
		room += own;
	}
	if (out)
		hb__again_out(t, told, v, pieces, room);
	else
		hb__again_in(t, told, v, pieces);
	return (int)used;
}

static bool several_again(struct hb_talk *t, struct mmsghdr *m, unsigned n, bool out, bool may_wait, int *ret_got)
{
	struct hb_told told;
	int64_t got;
	bool waits = may_wait && blocks(t->fd);
	if (!hb__again(t, !waits, &told, &got)) {
		*ret_got = (int)got;
		return t->again;
	}
	size_t of = hb__is_datagram(t) ? told.n / 3 : 0;
	for (size_t i = 0; i < of && i < n; i++) {
		struct msghdr *h = &m[i].msg_hdr;
		if (!out)
			hb__again_control(t, i, h);
		m[i].msg_len = (unsigned)(out ? hb__again_send(t, &told, i, h->msg_iov, h->msg_iovlen,
							room_of(h->msg_iov, h->msg_iovlen))
					      : hb__again_receive(t, &told, i, h->msg_iov, h->msg_iovlen, h->msg_name,
							&h->msg_namelen));
	}
	if (!hb__is_datagram(t))
		of = (size_t)stream_again(t, &told, m, n, out);
	*ret_got = (int)hb__again_over(t, &told, (int64_t)of);
	return true;
}

SEEN int sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	struct hb_talk t;
	int got;
	if (!n || !hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(sendmmsg)(fd, m, n, flags);
	t.function = hb__is_datagram(&t) ? HB_SOCKET_DATAGRAM_sendmmsg : HB_SOCKET_STREAM_sendmmsg;
	hb__door->begin(&t);
	if (unlikely(t.again) && several_again(&t, m, n, true, !(flags & MSG_DONTWAIT), &got))
		return got;
	/* the library may send fewer than it is asked to */
	got = NEXT(sendmmsg)(fd, m, n < AT_ONCE ? n : AT_ONCE, flags);
	if (got < 0)
		hb__failed(&t, !(flags & MSG_DONTWAIT));
	else
		several(&t, m, got);
	return got;
}

/* Where the senders of messages are put for whom the program does not ask. */
struct senders {
	struct sockaddr_storage at[AT_ONCE];
	socklen_t length[AT_ONCE]; /* 0: not known yet */
	bool ours[AT_ONCE], asked; /* asked: none is looked for */
};

static void name_senders(struct senders *who, struct mmsghdr *m, unsigned n)
{
	for (unsigned i = 0; i < n && !who->asked; i++)
		if (!m[i].msg_hdr.msg_name) {
			who->ours[i] = true;
			m[i].msg_hdr.msg_name = &who->at[i];
			m[i].msg_hdr.msg_namelen = who->length[i] ? who->length[i] : sizeof who->at[i];
		}
}

static void forget_senders(const struct senders *who, struct mmsghdr *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (who->ours[i]) {
			m[i].msg_hdr.msg_name = NULL;
			m[i].msg_hdr.msg_namelen = 0;
		}
}

SEEN int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *limit)
{
	struct hb_talk t;
	int got;
	if (!n || flags & MSG_PEEK || !hb__enter(&t, fd, CALLER, FRAME))
		return NEXT(recvmmsg)(fd, m, n, flags, limit);
	t.function = hb__is_datagram(&t) ? HB_SOCKET_DATAGRAM_recvmmsg : HB_SOCKET_STREAM_recvmmsg;
	hb__door->begin(&t);
	if (unlikely(t.again) && several_again(&t, m, n, false, !(flags & MSG_DONTWAIT), &got))
		return got;
	n = n < AT_ONCE ? n : AT_ONCE;
	struct senders who = {.asked = !hb__is_datagram(&t)};
	name_senders(&who, m, n);
	got = NEXT(recvmmsg)(fd, m, n, flags, limit);
	for (int i = 0; i < got; i++)
		who.length[i] = m[i].msg_hdr.msg_namelen;
	forget_senders(&who, m, n);
	if (got < 0) {
		hb__failed(&t, !(flags & MSG_DONTWAIT));
	} else {
		hb__door->came(&t, m, (size_t)got);
		name_senders(&who, m, (unsigned)got);
		several(&t, m, got);
		forget_senders(&who, m, (unsigned)got);
	}
	return got;
}
