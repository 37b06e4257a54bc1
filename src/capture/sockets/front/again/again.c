/* A call against its record, and bytes that go again as they went. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "calls/sockets/datagrams.h"
#include "capture/sockets/front/again/again.h"

#define WAIT_MS 100

uint32_t *hb__recorded_ends; /* by descriptor: the text of the record, plus 1 */
#define UNUSED (1u << 31)

int64_t hb__recorded(int fd)
{
	return hb__recorded_ends && fd >= 0 && fd < HB_DESCRIPTORS_MOST ? (int64_t)(hb__recorded_ends[fd] & ~UNUSED) - 1
									: HB_NO_TEXT;
}

void hb__recorded_is(int fd, int64_t text)
{
	if (!hb__recorded_ends) {
		void *p = mmap(NULL, HB_DESCRIPTORS_MOST * sizeof *hb__recorded_ends, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		hb__recorded_ends = p == MAP_FAILED ? NULL : p;
	}
	if (fd >= hb__door->most())
		hb__door->find(fd); /* they are looked through up to there */
	if (hb__recorded_ends && fd >= 0 && fd < HB_DESCRIPTORS_MOST)
		hb__recorded_ends[fd] = (uint32_t)(text + 1);
}

void hb__recorded_unused(int fd)
{
	if (hb__recorded(fd) >= 0)
		hb__recorded_ends[fd] |= UNUSED;
}

bool hb__recorded_is_unused(int fd) { return hb__recorded_ends && hb__recorded_ends[fd] & UNUSED; }

void hb__recorded_none(void)
{
	if (hb__recorded_ends)
		memset(hb__recorded_ends, 0, (size_t)hb__door->most() * sizeof *hb__recorded_ends);
}

void hb__recorded_forget(int fd) { hb__recorded_is(fd, HB_NO_TEXT); }

static bool has_end(const struct hb_talk *t) { return t->function < HB_SOCKET_READY_poll; }

bool hb__again(struct hb_talk *t, bool may_say_no, struct hb_told *told, int64_t *ret_got)
{
	*ret_got = -1;
	switch (hb__door->again(t, may_say_no, told)) {
	case HB_AGAIN_NO:
		hb__door->no(t);
		errno = EAGAIN;
		return false;
	case HB_AGAIN_FREE:
		t->again = false;
		return false;
	case HB_AGAIN_TOLD:
		break;
	}
	if (has_end(t) && told->end >= 0 && t->function != HB_SOCKET_CONNECTION_close)
		hb__recorded_is(t->fd, told->end);
	if (told->n && told->results[0] < 0 && t->function != HB_SOCKET_CONNECTION_connect) {
		hb__door->end(t, told->results, told->n);
		errno = (int)-told->results[0];
		return false;
	}
	return true;
}

int64_t hb__again_over(struct hb_talk *t, const struct hb_told *told, int64_t got)
{
	hb__door->end(t, told->results, told->n);
	return got;
}

bool hb__again_wait(int fd, short events)
{
	struct pollfd wait = {.fd = fd, .events = events};
	while (!hb__door->job_ends())
		if (NEXT(poll)(&wait, 1, WAIT_MS) > 0)
			return true;
	return false;
}

/* ---- streams ---- */

int hb__from_byte(const struct iovec *v, size_t n, size_t at, size_t most, struct iovec out[16])
{
	int pieces = 0;
	for (size_t i = 0; i < n && most && pieces < 16; i++) {
		if (at >= v[i].iov_len) {
			at -= v[i].iov_len;
			continue;
		}
		size_t some = v[i].iov_len - at < most ? v[i].iov_len - at : most;
		out[pieces++] = (struct iovec){(char *)v[i].iov_base + at, some};
		most -= some;
		at = 0;
	}
	return pieces;
}

/* Moves so many bytes, whatever it takes. Returns how many it could. */
static size_t move_all(int fd, const struct iovec *v, size_t n, size_t bytes, bool out)
{
	struct iovec some[16];
	size_t done = 0;
	while (done < bytes) {
		int pieces = hb__from_byte(v, n, done, bytes - done, some);
		ssize_t got = out ? NEXT(writev)(fd, some, pieces) : NEXT(readv)(fd, some, pieces);
		if (got > 0)
			done += (size_t)got;
		else if (got < 0 && (errno == EAGAIN || errno == EINTR) && hb__again_wait(fd, out ? POLLOUT : POLLIN))
			continue;
		else
			break;
	}
	return done;
}

int64_t hb__again_out(struct hb_talk *t, const struct hb_told *told, const struct iovec *v, size_t n, size_t asked)
{
	size_t then = (size_t)told->results[told->n > 1 ? 1 : 0], bytes = (size_t)told->results[0];
	if (asked != then)
		hb__door->differs(t, "the number of bytes to be sent");
	bytes = bytes < asked ? bytes : asked;
	if (unlikely(hb__from_outside(t, 0)))
		return hb__alone_out(t, v, n, bytes);
	if (move_all(t->fd, v, n, bytes, true) < bytes && !hb__door->job_ends())
		hb__door->differs(t, "the other side does not take what it took in the recorded run");
	return (int64_t)bytes;
}

int64_t hb__again_in(struct hb_talk *t, const struct hb_told *told, const struct iovec *v, size_t n)
{
	char byte;
	size_t bytes = (size_t)told->results[0];
	if (unlikely(hb__from_outside(t, 0)))
		return hb__alone_in(t, told, 0, v, n);
	if (bytes) {
		size_t got = move_all(t->fd, v, n, bytes, false);
		if (got < bytes && !hb__door->job_ends())
			hb__door->differs(t, "fewer bytes came than in the recorded run");
		return (int64_t)got;
	}
	ssize_t got;
	do
		got = NEXT(read)(t->fd, &byte, 1);
	while (got < 0 && (errno == EAGAIN || errno == EINTR) && hb__again_wait(t->fd, POLLIN));
	if (got > 0)
		hb__door->differs(t, "bytes came where the other side had ended the stream");
	return 0;
}

/* Until as many bytes are there as were then. */
int64_t hb__again_peek(struct hb_talk *t, const struct hb_told *told, const struct iovec *v, size_t n)
{
	struct iovec some[16];
	size_t bytes = (size_t)told->results[0];
	if (unlikely(hb__from_outside(t, 0)))
		return hb__alone_in(t, told, 0, v, n);
	struct msghdr m = {.msg_iov = some, .msg_iovlen = (size_t)hb__from_byte(v, n, 0, bytes, some)};
	while (hb__again_wait(t->fd, POLLIN)) {
		ssize_t got = NEXT(recvmsg)(t->fd, &m, MSG_PEEK | MSG_DONTWAIT);
		if (got == (ssize_t)bytes || !got)
			break;
		NEXT(poll)(NULL, 0, 1);
	}
	return (int64_t)bytes;
}

ssize_t hb__again_splice(
	struct hb_talk *t, struct hb_talk *u, int in, off64_t *in_at, int out, off64_t *out_at, unsigned flags)
{
	struct hb_told taken, put;
	int64_t got = 0, other = 0;
	bool may_say_no = flags & SPLICE_F_NONBLOCK;
	bool takes = t && hb__again(t, may_say_no, &taken, &got),
	     puts = u && hb__again(u, may_say_no, &put, t ? &other : &got);
	if (!takes && !puts)
		return (ssize_t)got;
	size_t bytes = (size_t)(takes ? taken.results[0] : put.results[0]), done = 0;
	bool from = takes && hb__from_outside(t, 0), to = puts && hb__from_outside(u, 0), alone = hb__door->alone();
	if (to && !from)
		hb__alone_drop(in, in_at, bytes);
	if (from && !to && !alone)
		hb__door->differs(t, "what is spliced came from a process that was not recorded, and was not kept");
	done = alone || from || to ? bytes : 0;
	while (done < bytes) {
		ssize_t some = NEXT(splice)(in, in_at, out, out_at, bytes - done, flags & ~(unsigned)SPLICE_F_NONBLOCK);
		if (some <= 0 && (!some || errno != EAGAIN || !hb__again_wait(in, POLLIN)))
			break;
		done += some > 0 ? (size_t)some : 0;
	}
	if (takes)
		hb__again_over(t, &taken, 0);
	if (puts)
		hb__again_over(u, &put, 0);
	return (ssize_t)done;
}

/* ---- datagrams ---- */

static void names_of(
	const struct hb_told *told, size_t i, char end[HB_NAME_MOST], char own[HB_NAME_MOST], char peer[HB_NAME_MOST])
{
	hb__door->text(told->end, end);
	hb_end_parts(end, own, peer, HB_NAME_MOST);
	if (told->n > 3 * i + 2 && told->results[3 * i + 2] >= 0)
		hb__door->text(told->results[3 * i + 2], peer);
}

int64_t hb__again_send(
	struct hb_talk *t, const struct hb_told *told, size_t i, const struct iovec *v, size_t n, size_t asked)
{
	char end[HB_NAME_MOST], own[HB_NAME_MOST], peer[HB_NAME_MOST], place[HB_DATAGRAM_PLACE];
	size_t bytes = (size_t)told->results[3 * i];
	uint64_t hash = (uint64_t)told->results[3 * i + 1];
	names_of(told, i, end, own, peer);
	hb_datagram_place(end, peer, place);
	if (asked != bytes)
		hb__door->differs(t, "the number of bytes to be sent");
	else if (hash)
		hb__door->contents(t, (uint64_t)hb__door->hash(v, n, asked) == hash);
	if (!hb__door->alone() &&
		!hb__door->leave(place, hb_datagram_key(own, hash, bytes), v, n, asked < bytes ? asked : bytes))
		hb__door->differs(t, "the datagram cannot be handed on in the folder of the replay");
	return (int64_t)bytes;
}

int64_t hb__again_receive(struct hb_talk *t, const struct hb_told *told, size_t i, const struct iovec *v, size_t n,
	struct sockaddr *from, socklen_t *length)
{
	char end[HB_NAME_MOST], own[HB_NAME_MOST], peer[HB_NAME_MOST], place[HB_DATAGRAM_PLACE];
	size_t bytes = (size_t)told->results[3 * i], left, there = 0;
	names_of(told, i, end, own, peer);
	hb_datagram_place(end, own, place);
	if (unlikely(hb__from_outside(t, i))) {
		hb__give_address(peer, from, length);
		return hb__alone_in(t, told, i, v, n);
	}
	if (!told->results[3 * i + 1] && bytes) { /* who only looked how long it is gets that */
		if (t->function != HB_SOCKET_DATAGRAM_peek)
			hb__door->differs(t, "a datagram that was cut when it was received cannot be found again");
		hb__give_address(peer, from, length);
		return (int64_t)bytes;
	}
	const char *p =
		hb__door->take(place, hb_datagram_key(peer, (uint64_t)told->results[3 * i + 1], bytes), -1, &there);
	left = there < bytes ? there : bytes;
	if (!p && !hb__door->job_ends())
		hb__door->differs(t, "the datagram does not come");
	for (size_t k = 0; p && k < n && left; k++) {
		size_t some = v[k].iov_len < left ? v[k].iov_len : left;
		memcpy(v[k].iov_base, p, some);
		p += some;
		left -= some;
	}
	hb__give_address(peer, from, length);
	return (int64_t)bytes;
}
