/* Sockets: who answers, and how much is taken. In a replay they are connected again; where nobody is there, the recording answers. */
#include <errno.h>
#include <string.h>
#include <netinet/in.h>

#include "capture/inputs/front/streams/descriptors.h"

#define PATIENCE_MS 2000

static struct hb__source of_connect = {"inputs:connect", 0}, of_accept = {"inputs:accept", 0},
			 of_bind = {"inputs:bind", 0}, of_name = {"inputs:getsockname", 0},
			 of_peer = {"inputs:getpeername", 0}, of_option = {"inputs:getsockopt", 0},
			 of_send = {"inputs:send", 0};

static bool is_socket(int fd)
{
	enum hb__leads to = hb__leads(fd);
	return to == HB__TO_SOCKET || to == HB__TO_NOBODY;
}

static int64_t done(int64_t result, int e)
{
	hb__door->leave();
	errno = e;
	return result;
}

static int64_t keep(struct hb__source *source, int64_t result, const void *p, size_t bytes)
{
	int e = errno;
	hb__keep(source, result, e, p, bytes);
	return done(result, e);
}

/* ---- names ---- */

static void give_name(const struct hb__answer *a, struct sockaddr *address, socklen_t *length)
{
	if (!address || !length || a->result < 0)
		return;
	memcpy(address, a->p, a->bytes < *length ? a->bytes : *length);
	*length = (socklen_t)a->bytes;
}

static size_t name_bytes(const struct sockaddr *address, const socklen_t *length, socklen_t room)
{
	return address && length ? (*length < room ? *length : room) : 0;
}

#define NAME(name, source)                                                                                  \
	SEEN int name(int fd, struct sockaddr *restrict address, socklen_t *restrict length)                \
	{                                                                                                   \
		struct hb__answer a;                                                                        \
		enum hb_inputs what = hb__enter_talk(CALLER, fd);                                           \
		socklen_t room = length ? *length : 0;                                                      \
		int e = NEXT(name)(fd, address, length);                                                    \
		if (what == HB_INPUTS_PASS)                                                                 \
			return e;                                                                           \
		if (what == HB_INPUTS_KEEP)                                                                 \
			return (int)keep(&(source), e, address, e ? 0 : name_bytes(address, length, room)); \
		if (!hb__give(&(source), HB__STREAMS, CALLER, &a))                                          \
			return (int)done(e, errno);                                                         \
		if (length)                                                                                 \
			*length = room;                                                                     \
		give_name(&a, address, length);                                                             \
		return (int)done(a.result, a.error ? a.error : errno);                                      \
	}
NAME(getsockname, of_name)
NAME(getpeername, of_peer)

/* Whether a connection that was begun has come about is asked for by an option. */
SEEN int getsockopt(int fd, int level, int name, void *restrict value, socklen_t *restrict length)
{
	struct hb__answer a;
	enum hb_inputs what = level == SOL_SOCKET && name == SO_ERROR ? hb__enter(CALLER) : HB_INPUTS_PASS;
	int e = NEXT(getsockopt)(fd, level, name, value, length);
	if (what == HB_INPUTS_PASS)
		return e;
	if (what == HB_INPUTS_KEEP)
		return (int)keep(&of_option, e, value, e ? 0 : sizeof(int));
	if (!hb__give(&of_option, HB__STREAMS, CALLER, &a))
		return (int)done(e, errno);
	if (a.bytes == sizeof(int))
		memcpy(value, a.p, sizeof(int));
	return (int)done(a.result, a.error ? a.error : errno);
}

/* ---- bind: a port that the system chose is the same again, if it is free ---- */

static in_port_t *port_of(struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET    ? &((struct sockaddr_in *)address)->sin_port
	       : address->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port
						: NULL;
}

static int bind_again(int fd, const struct sockaddr *address, socklen_t length, const struct hb__answer *a)
{
	struct sockaddr_storage now = {0}, then = {0};
	const int on = 1;
	memcpy(&now, address, length < sizeof now ? length : sizeof now);
	memcpy(&then, a->p, a->bytes < sizeof then ? a->bytes : sizeof then);
	in_port_t *port = port_of(&now), *was = port_of(&then);
	bool chosen = port && was && !*port && *was;
	if (chosen) {
		*port = *was;
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	}
	int e = NEXT(bind)(fd, (const struct sockaddr *)&now, length);
	return e && chosen ? NEXT(bind)(fd, address, length) : e;
}

SEEN int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	struct hb__answer a;
	struct sockaddr_storage chosen;
	socklen_t bytes = sizeof chosen;
	enum hb_inputs what = hb__enter_talk(CALLER, fd);
	if (what == HB_INPUTS_GIVE && hb__give(&of_bind, HB__STREAMS, CALLER, &a)) {
		bind_again(fd, address, length, &a);
		return (int)done(a.result, a.error ? a.error : errno);
	}
	int e = NEXT(bind)(fd, address, length), was = errno;
	if (what == HB_INPUTS_PASS)
		return e;
	bool named = !e && !NEXT(getsockname)(fd, (struct sockaddr *)&chosen, &bytes);
	errno = was;
	if (what == HB_INPUTS_KEEP)
		return (int)keep(&of_bind, e, &chosen, named && bytes <= sizeof chosen ? bytes : 0);
	return (int)done(e, was);
}

/* ---- who is there ---- */

SEEN int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	struct hb__answer a;
	enum hb_inputs what = hb__enter_talk(CALLER, fd);
	if (what != HB_INPUTS_GIVE || !hb__give(&of_connect, HB__STREAMS, CALLER, &a)) {
		int e = WAITING(what, NEXT(connect)(fd, address, length));
		return what == HB_INPUTS_KEEP   ? (int)keep(&of_connect, e, NULL, 0)
		       : what == HB_INPUTS_PASS ? e
						: (int)done(e, errno);
	}
	bool came = !a.result || a.error == EINPROGRESS;
	if (came && (hb__door->alone_without(true) || (NEXT(connect)(fd, address, length) && errno != EINPROGRESS)))
		hb__leads_set(fd, HB__TO_NOBODY);
	return (int)done(a.result, a.error ? a.error : errno);
}

/* Somebody calls as in the recorded run; or nobody does, and what is read from the descriptor is recorded. */
static int accept_again(int fd, int flags)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	int got = -1;
	if (!hb__door->alone_without(true) && NEXT(poll)(&wait, 1, PATIENCE_MS) > 0)
		got = NEXT(accept4)(fd, NULL, NULL, flags);
	if (got >= 0) {
		hb__leads_set(got, HB__UNKNOWN_YET);
		return got;
	}
	got = socket(AF_UNIX, SOCK_STREAM | (flags & SOCK_CLOEXEC ? SOCK_CLOEXEC : 0), 0);
	hb__leads_set(got, HB__TO_NOBODY);
	return got;
}

static int accepted(enum hb_inputs what, const void *pc, int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	struct hb__answer a;
	socklen_t room = length ? *length : 0;
	if (what == HB_INPUTS_GIVE && hb__give(&of_accept, HB__STREAMS, pc, &a)) {
		int got = a.result < 0 ? -1 : accept_again(fd, flags);
		give_name(&a, address, length);
		return (int)done(got, a.error ? a.error : errno);
	}
	int got = WAITING(what, NEXT(accept4)(fd, address, length, flags));
	hb__leads_set(got, HB__UNKNOWN_YET);
	if (what == HB_INPUTS_KEEP)
		return (int)keep(&of_accept, got, address, got < 0 ? 0 : name_bytes(address, length, room));
	return (int)done(got, errno);
}

SEEN int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
	enum hb_inputs what = hb__enter_talk(CALLER, fd);
	return what == HB_INPUTS_PASS ? NEXT(accept)(fd, address, length)
				      : accepted(what, CALLER, fd, address, length, 0);
}

SEEN int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags)
{
	enum hb_inputs what = hb__enter_talk(CALLER, fd);
	return what == HB_INPUTS_PASS ? NEXT(accept4)(fd, address, length, flags)
				      : accepted(what, CALLER, fd, address, length, flags);
}

/* ---- how much is taken ---- */

/* Sends what was taken then, if somebody is there. The result that was recorded stands in *ret; false: there is none. */
static bool sent(const void *pc, int fd, const struct iovec *v, size_t n, int64_t *ret)
{
	struct hb__answer a;
	if (!hb__give(&of_send, HB__STREAMS, pc, &a))
		return false;
	size_t left = a.result > 0 && hb__leads(fd) == HB__TO_SOCKET ? (size_t)a.result : 0;
	for (size_t i = 0; i < n && left; i++) {
		const uint8_t *p = v[i].iov_base;
		size_t some = v[i].iov_len < left ? v[i].iov_len : left;
		for (size_t at = 0; at < some;) {
			ssize_t now = NEXT(send)(fd, p + at, some - at, MSG_NOSIGNAL);
			struct pollfd wait = {.fd = fd, .events = POLLOUT};
			bool full = now < 0 && errno == EAGAIN && NEXT(poll)(&wait, 1, PATIENCE_MS) > 0;
			if (now < 0 && !full && errno != EINTR) {
				hb__leads_set(fd, HB__TO_NOBODY);
				*ret = done(a.result, a.error ? a.error : errno);
				return true;
			}
			at += now > 0 ? (size_t)now : 0;
		}
		left -= some;
	}
	*ret = done(a.result, a.error ? a.error : errno);
	return true;
}

static enum hb_inputs enter(const void *pc, int fd)
{
	enum hb_inputs what = hb__enter_talk(pc, fd);
	if (what == HB_INPUTS_PASS || is_socket(fd))
		return what;
	hb__door->leave();
	return HB_INPUTS_PASS;
}

#define SEND(name, parameters, arguments, vector, count)                                \
	SEEN ssize_t name parameters                                                    \
	{                                                                               \
		int64_t ret;                                                            \
		enum hb_inputs what = enter(CALLER, fd);                                \
		if (what == HB_INPUTS_GIVE && sent(CALLER, fd, vector, count, &ret))    \
			return (ssize_t)ret;                                            \
		ret = WAITING(what, NEXT(name) arguments);                              \
		return what == HB_INPUTS_KEEP   ? (ssize_t)keep(&of_send, ret, NULL, 0) \
		       : what == HB_INPUTS_PASS ? (ssize_t)ret                          \
						: (ssize_t)done(ret, errno);            \
	}
#define ONE(p, bytes) (&(struct iovec){(void *)(uintptr_t)(p), bytes})
SEND(send, (int fd, const void *p, size_t bytes, int flags), (fd, p, bytes, flags), ONE(p, bytes), 1)
SEND(write, (int fd, const void *p, size_t bytes), (fd, p, bytes), ONE(p, bytes), 1)
SEND(writev, (int fd, const struct iovec *v, int n), (fd, v, n), v, (size_t)n)
SEND(sendto, (int fd, const void *p, size_t bytes, int flags, const struct sockaddr *to, socklen_t length),
	(fd, p, bytes, flags, to, length), ONE(p, bytes), 1)
SEND(sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), m->msg_iov, m->msg_iovlen)
