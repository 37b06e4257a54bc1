/* Waiting until descriptors are ready. */
#include <stdlib.h>

#include <string.h>

#include "capture/sockets/front/again/again.h"

#define TOLD ((HB_TOLD_MOST - 1) / 3) /* descriptors of one call; further ones are not told */

struct ready {
	bool quick;        /* it goes the quick way: */
	struct hb_quick q; /* ... else: */
	struct hb_talk t;
	int64_t results[1 + 3 * TOLD];
	size_t n; /* descriptors told */
};

/* waits: -1 for ever, 0 not at all. */
static bool begins(struct ready *r, enum hb_socket_function function, int64_t waits, const void *pc, const void *cfa)
{
	pc = hb__called_by(pc);
	r->n = 0;
	if (unlikely(!hb__door))
		return false;
	r->t.again = false;
	r->quick = hb__door->quick(&r->q, function, waits < 0, pc);
	if (likely(r->quick))
		return true;
	if (!hb__door->enter(&r->t, pc, cfa))
		return false;
	r->t.function = function;
	r->t.argument = waits < 0;
	hb__door->begin(&r->t);
	return true;
}

static void tell(struct ready *r, int fd, uint32_t events)
{
	if (r->n == TOLD)
		return;
	uint32_t end = fd >= 0 && fd < HB_DESCRIPTORS_MOST ? __atomic_load_n(&hb__table[fd], __ATOMIC_ACQUIRE) : 0;
	if (fd >= 0 && hb_leads_kind(end) == HB_LEADS_UNKNOWN)
		end = hb__door->find(fd);
	int64_t *to = r->results + 1 + 3 * r->n++;
	to[0] = fd;
	to[1] = events;
	bool leads = hb_leads_kind(end) > HB_LEADS_NOWHERE && hb_leads_kind(end) < HB_LEADS_NAMELESS;
	to[2] = leads ? (int64_t)hb_leads_text(end) : HB_NO_TEXT;
}

static void over(struct ready *r, int got, bool waited)
{
	int error = errno;
	r->results[0] = got < 0 ? -error : got;
	if (likely(r->quick)) {
		if (got || waited)
			hb__door->quick_end(&r->q, r->results, 1 + 3 * r->n);
		else
			hb__door->quick_no(&r->q, false);
	} else if (!got && !waited)
		hb__door->no(&r->t);
	else
		hb__door->end(&r->t, r->results, 1 + 3 * r->n);
	errno = error;
}

/* Threads wake each other by a counter, and say why in memory: who is told that one is ready finds it so. That it was written once more then
 * may have hung on that memory: there is an end to waiting for it. */
#define PATIENCE_MS 5000
static void await_counter(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char link[40], path[40];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	if (!strcmp(path, "anon_inode:[eventfd]"))
		NEXT(poll)(&wait, 1, PATIENCE_MS);
}

/* Which descriptor leads to this end of the record: another one than then, perhaps, where threads make and end connections. */
static int now_of(int then, int64_t end)
{
	int now = then;
	if (end < 0)
		return then;
	for (int fd = 0, most = hb__door->most(); hb__recorded(then) != end && hb__recorded_ends && fd < most; fd++)
		if (hb__recorded(fd) == end) {
			now = fd;
			break;
		}
	hb__recorded_is(now, end); /* it is used */
	return now;
}

/* Replay: the record answers. True: *ret_got is what, and those told are visited first. */
static bool answered(
	struct ready *r, bool waits, void tell_one(void *user, int fd, uint32_t events), void *user, int *ret_got)
{
	struct hb_told told;
	int64_t got;
	if (likely(!r->t.again))
		return false;
	if (!hb__again(&r->t, !waits, &told, &got)) {
		bool no = errno == EAGAIN && r->t.again;
		*ret_got = no ? 0 : (int)got;
		return r->t.again;
	}
	for (size_t i = 1; i + 2 < told.n; i += 3)
		if (told.results[i + 2] < 0 && told.results[i + 1] & POLLIN)
			await_counter((int)told.results[i]);
	for (size_t i = 1; i + 2 < told.n; i += 3)
		tell_one(user, now_of((int)told.results[i], told.results[i + 2]), (uint32_t)told.results[i + 1]);
	*ret_got = (int)hb__again_over(&r->t, &told, told.results[0]);
	return true;
}

/* ---- poll ---- */

struct polls {
	struct pollfd *fds;
	nfds_t n;
};

/* A descriptor may stand there more than once, each time with what is asked of it (ssh). */
static void poll_says(void *user, int fd, uint32_t events)
{
	struct polls *p = user;
	for (nfds_t i = 0; i < p->n; i++)
		if (p->fds[i].fd == fd)
			p->fds[i].revents |=
				(short)(events & ((uint16_t)p->fds[i].events | POLLERR | POLLHUP | POLLNVAL));
}

static bool poll_again(struct ready *r, struct pollfd *fds, nfds_t n, bool waits, int *ret_got)
{
	struct polls p = {fds, n};
	for (nfds_t i = 0; unlikely(r->t.again) && i < n; i++)
		fds[i].revents = 0;
	return answered(r, waits, poll_says, &p, ret_got);
}

static int polled(struct ready *r, int got, const struct pollfd *fds, nfds_t n, bool waited)
{
	for (nfds_t i = 0; got > 0 && i < n; i++)
		if (fds[i].revents)
			tell(r, fds[i].fd, (uint16_t)fds[i].revents);
	over(r, got, waited);
	return got;
}

static int poll_at(struct pollfd *fds, nfds_t n, int ms, const void *pc, const void *cfa)
{
	struct ready r;
	if (!n || !begins(&r, HB_SOCKET_READY_poll, ms, pc, cfa))
		return NEXT(poll)(fds, n, ms);
	int got;
	if (poll_again(&r, fds, n, ms != 0, &got))
		return got;
	return polled(&r, NEXT(poll)(fds, n, ms), fds, n, ms != 0);
}

static int64_t limit_of(const struct timespec *limit) { return !limit ? -1 : limit->tv_sec || limit->tv_nsec; }

static int ppoll_at(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask, const void *pc,
	const void *cfa)
{
	struct ready r;
	if (!n || !begins(&r, HB_SOCKET_READY_ppoll, limit_of(limit), pc, cfa))
		return NEXT(ppoll)(fds, n, limit, mask);
	int got;
	if (poll_again(&r, fds, n, limit_of(limit) != 0, &got))
		return got;
	return polled(&r, NEXT(ppoll)(fds, n, limit, mask), fds, n, limit_of(limit) != 0);
}

SEEN int poll(struct pollfd *fds, nfds_t n, int ms) { return poll_at(fds, n, ms, CALLER, FRAME); }
SEEN int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask)
{
	return ppoll_at(fds, n, limit, mask, CALLER, FRAME);
}

void __chk_fail(void) __attribute__((noreturn));
SEEN int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room);
SEEN int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask, size_t room);

int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room)
{
	if (room / sizeof *fds < n)
		__chk_fail();
	return poll_at(fds, n, ms, CALLER, FRAME);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask, size_t room)
{
	if (room / sizeof *fds < n)
		__chk_fail();
	return ppoll_at(fds, n, limit, mask, CALLER, FRAME);
}

/* ---- select ---- */

static void select_says(void *user, int fd, uint32_t events)
{
	fd_set **sets = user;
	const uint32_t bits[] = {POLLIN, POLLOUT, POLLPRI};
	for (int i = 0; i < 3; i++)
		if (sets[i] && events & bits[i])
			FD_SET(fd, sets[i]);
}

static bool select_again(struct ready *r, fd_set *in, fd_set *out, fd_set *other, bool waits, int *ret_got)
{
	fd_set *sets[] = {in, out, other}, now[3];
	for (int i = 0; unlikely(r->t.again) && i < 3; i++)
		if (sets[i]) {
			now[i] = *sets[i];
			FD_ZERO(sets[i]);
		}
	if (answered(r, waits, select_says, sets, ret_got))
		return true;
	for (int i = 0; i < 3; i++)
		if (sets[i])
			*sets[i] = now[i];
	return false;
}

static int selected(
	struct ready *r, int got, int n, const fd_set *in, const fd_set *out, const fd_set *other, bool waited)
{
	for (int fd = 0; got > 0 && fd < n; fd++) {
		uint32_t events = (in && FD_ISSET(fd, in) ? POLLIN : 0) | (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
				  (other && FD_ISSET(fd, other) ? POLLPRI : 0);
		if (events)
			tell(r, fd, events);
	}
	over(r, got, waited);
	return got;
}

SEEN int select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *limit)
{
	struct ready r;
	int64_t waits = !limit ? -1 : limit->tv_sec || limit->tv_usec;
	if (n <= 0 || !begins(&r, HB_SOCKET_READY_select, waits, CALLER, FRAME))
		return NEXT(select)(n, in, out, other, limit);
	int got;
	if (unlikely(r.t.again) && select_again(&r, in, out, other, waits != 0, &got))
		return got;
	return selected(&r, NEXT(select)(n, in, out, other, limit), n, in, out, other, waits != 0);
}

SEEN int pselect(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *limit, const sigset_t *mask)
{
	struct ready r;
	if (n <= 0 || !begins(&r, HB_SOCKET_READY_pselect, limit_of(limit), CALLER, FRAME))
		return NEXT(pselect)(n, in, out, other, limit, mask);
	int got;
	if (unlikely(r.t.again) && select_again(&r, in, out, other, limit_of(limit) != 0, &got))
		return got;
	return selected(&r, NEXT(pselect)(n, in, out, other, limit, mask), n, in, out, other, limit_of(limit) != 0);
}

/* ---- epoll ---- */

struct epolls {
	int epoll, n, most;
	struct epoll_event *events;
};

static void epoll_says(void *user, int fd, uint32_t events)
{
	struct epolls *e = user;
	if (e->n < e->most)
		e->events[e->n++] = (struct epoll_event){.events = events, .data.u64 = hb__epoll_value(e->epoll, fd)};
}

static bool epoll_again(struct ready *r, int epoll, struct epoll_event *events, int most, bool waits, int *ret_got)
{
	struct epolls e = {epoll, 0, most, events};
	return answered(r, waits, epoll_says, &e, ret_got);
}

static int epolled(struct ready *r, int got, int epoll, const struct epoll_event *events, bool waited)
{
	for (int i = 0; i < got; i++)
		tell(r, hb__epoll_descriptor(epoll, events[i].data.u64), events[i].events);
	over(r, got, waited);
	return got;
}

SEEN int epoll_wait(int epoll, struct epoll_event *events, int n, int ms)
{
	struct ready r;
	if (!begins(&r, HB_SOCKET_READY_epoll_wait, ms, CALLER, FRAME))
		return NEXT(epoll_wait)(epoll, events, n, ms);
	int got;
	if (epoll_again(&r, epoll, events, n, ms != 0, &got))
		return got;
	return epolled(&r, NEXT(epoll_wait)(epoll, events, n, ms), epoll, events, ms != 0);
}

SEEN int epoll_pwait(int epoll, struct epoll_event *events, int n, int ms, const sigset_t *mask)
{
	struct ready r;
	if (!begins(&r, HB_SOCKET_READY_epoll_pwait, ms, CALLER, FRAME))
		return NEXT(epoll_pwait)(epoll, events, n, ms, mask);
	int got;
	if (epoll_again(&r, epoll, events, n, ms != 0, &got))
		return got;
	return epolled(&r, NEXT(epoll_pwait)(epoll, events, n, ms, mask), epoll, events, ms != 0);
}

SEEN int epoll_pwait2(int epoll, struct epoll_event *events, int n, const struct timespec *limit, const sigset_t *mask)
{
	struct ready r;
	if (!begins(&r, HB_SOCKET_READY_epoll_pwait2, limit_of(limit), CALLER, FRAME))
		return NEXT(epoll_pwait2)(epoll, events, n, limit, mask);
	int got;
	if (epoll_again(&r, epoll, events, n, limit_of(limit) != 0, &got))
		return got;
	return epolled(&r, NEXT(epoll_pwait2)(epoll, events, n, limit, mask), epoll, events, limit_of(limit) != 0);
}

SEEN int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	int got = NEXT(epoll_ctl)(epoll, operation, fd, event);
	if (!got)
		hb__epoll_told(epoll, operation, fd, event);
	return got;
}
