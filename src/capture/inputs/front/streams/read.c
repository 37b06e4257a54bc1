/* What is read from where nothing is twice: standard input, pipes, sockets, devices. Recorded: how many bytes came, and which. In a replay
 * these are given; a pipe or socket whose other end is there, too, is emptied by as many, so that who writes into it goes on. */
#include <errno.h>
#include <string.h>

#include "capture/inputs/front/streams/descriptors.h"

#define PATIENCE_MS 10000 /* for bytes that came in the recorded run */

static struct hb__source of_read = {"inputs:read", 0}, of_pread = {"inputs:pread", 0}, of_readv = {"inputs:readv", 0},
			 of_recv = {"inputs:recv", 0}, of_recvfrom = {"inputs:recvfrom", 0},
			 of_recvmsg = {"inputs:recvmsg", 0}, of_seek = {"inputs:lseek", 0};

/* Reads as many bytes as came in the recorded run, whatever they are: who is there may tell something else now. False: they do not
 * come. */
static bool emptied(int fd, size_t bytes)
{
	uint8_t some[4096];
	for (size_t n = 0; n < bytes;) {
		size_t most = bytes - n < sizeof some ? bytes - n : sizeof some;
		ssize_t got = NEXT(read)(fd, some, most);
		if (got < 0 && errno == EAGAIN) {
			struct pollfd wait = {.fd = fd, .events = POLLIN};
			if (NEXT(poll)(&wait, 1, PATIENCE_MS) <= 0)
				return false;
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		n += (size_t)got;
	}
	return true;
}

/* By as much as was read from a counter; what other threads have added meanwhile is for the reads to come. Those that it came from then may
 * add it later now. */
static void count_down(int fd, const struct hb__answer *a)
{
	uint64_t then, now, came = 0;
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	if (a->bytes != sizeof then)
		return;
	memcpy(&then, a->p, sizeof then);
	while (came < then && NEXT(poll)(&wait, 1, PATIENCE_MS) > 0)
		if (NEXT(read)(fd, &now, sizeof now) == sizeof now)
			came += now;
	if (came > then) {
		now = came - then;
		ssize_t put = NEXT(write)(fd, &now, sizeof now);
		(void)put;
	}
}

static void empty(const void *pc, int fd, const struct hb__answer *a)
{
	enum hb__leads to = hb__leads(fd);
	if (a->result < 0)
		return;
	if (to == HB__TO_COUNTER) {
		count_down(fd, a);
		return;
	}
	if ((to != HB__TO_PEER && to != HB__TO_SOCKET) || hb__door->alone_without(to == HB__TO_SOCKET))
		return;
	if (emptied(fd, a->bytes))
		return;
	hb__leads_set(fd, HB__TO_NOBODY);
	hb__differs(HB__STREAMS, pc,
		"%zu bytes came by descriptor %d in the recorded run, and do not come now; the program is given the recorded ones, from here on without waiting",
		a->bytes, fd);
}

/* Files are read as they are. */
static enum hb_inputs enter(const void *pc, int fd)
{
	enum hb_inputs what = hb__enter_talk(pc, fd);
	if (what == HB_INPUTS_PASS || hb__leads(fd) != HB__TO_FILE)
		return what;
	hb__door->leave();
	return HB_INPUTS_PASS;
}

/* The answer of a recorded call into the program's memory. False: the recording has none. */
static bool give(struct hb__source *source, const void *pc, int fd, void *p, size_t bytes, ssize_t *ret, bool takes)
{
	struct hb__answer a;
	if (!hb__give(source, HB__STREAMS, pc, &a))
		return false;
	size_t n = a.bytes < bytes ? a.bytes : bytes;
	if (n < a.bytes)
		hb__differs(HB__STREAMS, pc,
			"the program reads %zu bytes at most from descriptor %d, and got %zu in the recorded run",
			bytes, fd, a.bytes);
	if (takes)
		empty(pc, fd, &a);
	if (n)
		memcpy(p, a.p, n);
	*ret = n < a.bytes ? (ssize_t)n : (ssize_t)a.result;
	if (a.result < 0)
		errno = a.error;
	return true;
}

/* With MSG_TRUNC a call says how long the message is, which may be more than it had room for. */
static size_t came(ssize_t result, size_t room)
{
	return result < 0 ? 0 : (size_t)result < room ? (size_t)result : room;
}

static ssize_t keep(struct hb__source *source, ssize_t n, const void *p)
{
	int e = errno;
	hb__keep(source, n, e, p, n > 0 ? (size_t)n : 0);
	errno = e;
	return n;
}

ssize_t hb__read(const void *pc, int fd, void *p, size_t bytes)
{
	ssize_t n;
	enum hb_inputs what = enter(pc, fd);
	if (what == HB_INPUTS_GIVE && give(&of_read, pc, fd, p, bytes, &n, true)) {
		hb__door->leave();
		return n;
	}
	n = WAITING(what, NEXT(read)(fd, p, bytes));
	if (what == HB_INPUTS_KEEP)
		keep(&of_read, n, p);
	if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return n;
}

SEEN ssize_t read(int fd, void *p, size_t bytes) { return hb__read(CALLER, fd, p, bytes); }

static ssize_t pread_at(const void *pc, int fd, void *p, size_t bytes, off_t offset)
{
	ssize_t n;
	enum hb_inputs what = enter(pc, fd);
	if (what == HB_INPUTS_GIVE && give(&of_pread, pc, fd, p, bytes, &n, false)) {
		hb__door->leave();
		return n;
	}
	n = NEXT(pread)(fd, p, bytes, offset);
	if (what == HB_INPUTS_KEEP)
		keep(&of_pread, n, p);
	if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return n;
}

SEEN ssize_t pread(int fd, void *p, size_t bytes, off_t offset) { return pread_at(CALLER, fd, p, bytes, offset); }
SEEN ssize_t pread64(int fd, void *p, size_t bytes, off_t offset) { return pread_at(CALLER, fd, p, bytes, offset); }

off_t hb__seek(const void *pc, int fd, off_t offset, int whence)
{
	off_t at;
	struct hb__answer a;
	/* what it prints goes where this run's user wants it: to a file, a pipe, a terminal */
	enum hb_inputs what = fd == STDOUT_FILENO || fd == STDERR_FILENO ? HB_INPUTS_PASS : enter(pc, fd);
	if (what == HB_INPUTS_GIVE && hb__give(&of_seek, HB__STREAMS, pc, &a)) {
		hb__door->leave();
		if (a.result < 0)
			errno = a.error;
		return (off_t)a.result;
	}
	at = NEXT(lseek)(fd, offset, whence);
	if (what == HB_INPUTS_KEEP)
		keep(&of_seek, at < 0 ? at : 0, NULL);
	if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return at;
}

SEEN off_t lseek(int fd, off_t offset, int whence) { return hb__seek(CALLER, fd, offset, whence); }
SEEN off64_t lseek64(int fd, off64_t offset, int whence) { return hb__seek(CALLER, fd, offset, whence); }

/* ---- several pieces of memory ---- */

enum { FROM_MOST = 128 }; /* of who sent it */

static size_t room_of(const struct iovec *v, size_t n)
{
	size_t bytes = 0;
	for (size_t i = 0; i < n; i++)
		bytes += v[i].iov_len;
	return bytes;
}

static void spread(const struct iovec *v, size_t n, const uint8_t *p, size_t bytes)
{
	for (size_t i = 0; i < n && bytes; i++) {
		size_t some = v[i].iov_len < bytes ? v[i].iov_len : bytes;
		memcpy(v[i].iov_base, p, some);
		p += some;
		bytes -= some;
	}
}

/* m: of recvmsg, whom it came from, which has `room` bytes, and its flags; else NULL. */
static void keep_spread(
	struct hb__source *source, ssize_t result, const struct iovec *v, size_t n, const struct msghdr *m, size_t room)
{
	int e = errno;
	size_t bytes = came(result, room_of(v, n)), done = 0;
	uint8_t *to = NULL;
	bool named = result >= 0 && m && m->msg_name && m->msg_namelen, flagged = result >= 0 && m && m->msg_flags;
	if (!hb__door->call(source, 2u + named + flagged))
		return;
	hb__door->number(0, result);
	if (result < 0)
		hb__door->number(1, e);
	else if (bytes && (to = hb__door->room(bytes)) != NULL) {
		for (size_t i = 0; i < n && done < bytes; i++) {
			size_t some = v[i].iov_len < bytes - done ? v[i].iov_len : bytes - done;
			memcpy(to + done, v[i].iov_base, some);
			done += some;
		}
		hb__door->packed(2, bytes);
	} else {
		hb__door->piece(2, NULL, 0);
	}
	if (named)
		hb__door->piece(3, m->msg_name, m->msg_namelen < room ? m->msg_namelen : room);
	if (flagged)
		hb__door->number(4, m->msg_flags);
	errno = e;
}

static bool give_spread(struct hb__source *source, const void *pc, int fd, const struct iovec *v, size_t n, bool takes,
	struct hb__answer *a)
{
	if (!hb__give(source, HB__STREAMS, pc, a))
		return false;
	if (takes)
		empty(pc, fd, a);
	size_t room = room_of(v, n);
	spread(v, n, a->p, a->bytes < room ? a->bytes : room);
	if (a->result < 0)
		errno = a->error;
	return true;
}

SEEN ssize_t readv(int fd, const struct iovec *v, int n)
{
	struct hb__answer a;
	enum hb_inputs what = enter(CALLER, fd);
	if (what == HB_INPUTS_GIVE && give_spread(&of_readv, CALLER, fd, v, (size_t)n, true, &a)) {
		hb__door->leave();
		return (ssize_t)a.result;
	}
	ssize_t got = WAITING(what, NEXT(readv)(fd, v, n));
	if (what == HB_INPUTS_KEEP)
		keep_spread(&of_readv, got, v, (size_t)n, NULL, 0);
	if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return got;
}

/* ---- sockets ---- */

static ssize_t recv_at(const void *pc, int fd, void *p, size_t bytes, int flags)
{
	ssize_t n;
	enum hb_inputs what = hb__enter_talk(pc, fd);
	if (what == HB_INPUTS_GIVE && give(&of_recv, pc, fd, p, bytes, &n, !(flags & MSG_PEEK))) {
		hb__door->leave();
		return n;
	}
	n = WAITING(what, NEXT(recv)(fd, p, bytes, flags));
	int e = errno;
	if (what == HB_INPUTS_KEEP)
		hb__keep(&of_recv, n, e, p, came(n, bytes));
	errno = e;
	if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return n;
}

SEEN ssize_t recv(int fd, void *p, size_t bytes, int flags) { return recv_at(CALLER, fd, p, bytes, flags); }

static void keep_from(ssize_t n, const void *p, size_t room, const struct sockaddr *from, socklen_t length)
{
	int e = errno;
	if (!hb__door->call(&of_recvfrom, 3))
		return;
	hb__door->number(0, n);
	if (n < 0) {
		hb__door->number(1, e);
	} else {
		hb__door->piece(2, p, came(n, room));
		hb__door->piece(3, from, length < FROM_MOST ? length : FROM_MOST);
	}
	hb__door->end();
	errno = e;
}

SEEN ssize_t recvfrom(
	int fd, void *restrict p, size_t bytes, int flags, struct sockaddr *restrict from, socklen_t *restrict length)
{
	struct hb__answer a;
	enum hb_inputs what = hb__enter_talk(CALLER, fd);
	socklen_t room = from && length ? *length : 0;
	if (what == HB_INPUTS_GIVE && hb__give(&of_recvfrom, HB__STREAMS, CALLER, &a)) {
		if (!(flags & MSG_PEEK))
			empty(CALLER, fd, &a);
		memcpy(p, a.p, a.bytes < bytes ? a.bytes : bytes);
		if (room) {
			memcpy(from, a.more, a.more_bytes < room ? a.more_bytes : room);
			*length = (socklen_t)a.more_bytes;
		}
		if (a.result < 0)
			errno = a.error;
		hb__door->leave();
		return (ssize_t)a.result;
	}
	ssize_t n = WAITING(what, NEXT(recvfrom)(fd, p, bytes, flags, from, length));
	if (what == HB_INPUTS_KEEP)
		keep_from(n, p, bytes, from, room ? (*length < room ? *length : room) : 0);
	if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return n;
}

/* Descriptors that come with a message are of this process: it is passed on where there are any. */
SEEN ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	struct hb__answer a;
	enum hb_inputs what = m->msg_control ? HB_INPUTS_PASS : hb__enter_talk(CALLER, fd);
	if (what == HB_INPUTS_GIVE &&
		give_spread(&of_recvmsg, CALLER, fd, m->msg_iov, m->msg_iovlen, !(flags & MSG_PEEK), &a)) {
		hb__door->leave();
		m->msg_flags = a.flags;
		if (m->msg_name)
			memcpy(m->msg_name, a.more, a.more_bytes < m->msg_namelen ? a.more_bytes : m->msg_namelen);
		m->msg_namelen = (socklen_t)a.more_bytes;
		return (ssize_t)a.result;
	}
	size_t room = m->msg_namelen < FROM_MOST ? m->msg_namelen : FROM_MOST;
	ssize_t n = WAITING(what, NEXT(recvmsg)(fd, m, flags));
	if (what == HB_INPUTS_KEEP)
		keep_spread(&of_recvmsg, n, m->msg_iov, m->msg_iovlen, m, room);
	if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return n;
}

/* ---- what a program that was compiled with _FORTIFY_SOURCE calls ---- */

void __chk_fail(void) __attribute__((noreturn));
#define CHECKED(need, room)           \
	do {                          \
		if ((need) > (room))  \
			__chk_fail(); \
	} while (0)

SEEN ssize_t __read_chk(int fd, void *p, size_t bytes, size_t room);
SEEN ssize_t __pread_chk(int fd, void *p, size_t bytes, off_t offset, size_t room);
SEEN ssize_t __pread64_chk(int fd, void *p, size_t bytes, off_t offset, size_t room);
SEEN ssize_t __recv_chk(int fd, void *p, size_t bytes, size_t room, int flags);

ssize_t __read_chk(int fd, void *p, size_t bytes, size_t room)
{
	CHECKED(bytes, room);
	return hb__read(CALLER, fd, p, bytes);
}

ssize_t __pread_chk(int fd, void *p, size_t bytes, off_t offset, size_t room)
{
	CHECKED(bytes, room);
	return pread_at(CALLER, fd, p, bytes, offset);
}

ssize_t __pread64_chk(int fd, void *p, size_t bytes, off_t offset, size_t room)
{
	CHECKED(bytes, room);
	return pread_at(CALLER, fd, p, bytes, offset);
}

ssize_t __recv_chk(int fd, void *p, size_t bytes, size_t room, int flags)
{
	CHECKED(bytes, room);
	return recv_at(CALLER, fd, p, bytes, flags);
}
