/* Waiting for descriptors: which of them are ready is given as it was; what is read from them then waits for itself. */
#include <errno.h>
#include <string.h>

#include "capture/inputs/front/streams/descriptors.h"

static struct hb__source of_poll = {"inputs:poll", 0}, of_select = {"inputs:select", 0},
			 of_epoll = {"inputs:epoll_wait", 0};

/* Takes the recorded answer. False: there is none. */
static bool taken(struct hb__source *source, const void *pc, struct hb__answer *a)
{
	if (!hb__give(source, HB__WAITS, pc, a))
		return false;
	hb__door->leave();
	if (a->result < 0)
		errno = a->error;
	return true;
}

static void keep(struct hb__source *source, int64_t result, const void *p, size_t bytes)
{
	int e = errno;
	hb__keep(source, result, e, p, result < 0 ? 0 : bytes);
	hb__door->leave();
	errno = e;
}

/* ---- poll: the answers of all, one behind the other ---- */

#define POLLED 256

static bool give_poll(const void *pc, struct pollfd *p, nfds_t n, int *ret)
{
	struct hb__answer a;
	if (!taken(&of_poll, pc, &a))
		return false;
	for (nfds_t i = 0; i < n && a.result >= 0; i++)
		p[i].revents = (i + 1) * sizeof p->revents <= a.bytes ? (short)(a.p[2 * i] | a.p[2 * i + 1] << 8) : 0;
	*ret = (int)a.result;
	return true;
}

static void keep_poll(const struct pollfd *p, nfds_t n, int result)
{
	uint8_t answers[2 * POLLED];
	nfds_t most = n < POLLED ? n : POLLED;
	for (nfds_t i = 0; i < most; i++) {
		answers[2 * i] = (uint8_t)p[i].revents;
		answers[2 * i + 1] = (uint8_t)(p[i].revents >> 8);
	}
	keep(&of_poll, result, answers, result > 0 ? 2 * most : 0);
}

SEEN int poll(struct pollfd *p, nfds_t n, int timeout)
{
	int ret;
	enum hb_inputs what = hb__enter_wait(CALLER);
	if (what == HB_INPUTS_GIVE && give_poll(CALLER, p, n, &ret))
		return ret;
	ret = WAITING(what, NEXT(poll)(p, n, timeout));
	if (what == HB_INPUTS_KEEP)
		keep_poll(p, n, ret);
	else if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return ret;
}

SEEN int ppoll(struct pollfd *p, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	int ret;
	enum hb_inputs what = hb__enter_wait(CALLER);
	if (what == HB_INPUTS_GIVE && give_poll(CALLER, p, n, &ret))
		return ret;
	ret = WAITING(what, NEXT(ppoll)(p, n, timeout, mask));
	if (what == HB_INPUTS_KEEP)
		keep_poll(p, n, ret);
	else if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return ret;
}

/* ---- select: a byte for each descriptor that is asked about, in their order; their numbers may be others in a replay ---- */

struct sets {
	fd_set *set[3];
	fd_set asked[3];
	int n;
};

static void ask(struct sets *s, int n, fd_set *r, fd_set *w, fd_set *x)
{
	fd_set *const set[3] = {r, w, x};
	s->n = n < FD_SETSIZE ? n : FD_SETSIZE;
	for (int i = 0; i < 3; i++) {
		s->set[i] = set[i];
		if (set[i])
			s->asked[i] = *set[i];
	}
}

static bool give_select(const void *pc, struct sets *s, int *ret)
{
	struct hb__answer a;
	size_t k = 0;
	if (!taken(&of_select, pc, &a))
		return false;
	for (int i = 0; i < 3 && a.result >= 0; i++)
		for (int fd = 0; s->set[i] && fd < s->n; fd++) {
			if (!FD_ISSET(fd, &s->asked[i]))
				continue;
			if (k >= a.bytes || !a.p[k])
				FD_CLR(fd, s->set[i]);
			k++;
		}
	*ret = (int)a.result;
	return true;
}

static void keep_select(const struct sets *s, int result)
{
	uint8_t ready[3 * FD_SETSIZE];
	size_t k = 0;
	for (int i = 0; i < 3 && result > 0; i++)
		for (int fd = 0; s->set[i] && fd < s->n; fd++)
			if (FD_ISSET(fd, &s->asked[i]))
				ready[k++] = FD_ISSET(fd, s->set[i]) != 0;
	keep(&of_select, result, ready, k);
}

#define SELECT(name, type)                                                   \
	SEEN int name                                                        \
	{                                                                    \
		int ret;                                                     \
		struct sets s;                                               \
		enum hb_inputs what = hb__enter_wait(CALLER);                \
		if (what != HB_INPUTS_PASS)                                  \
			ask(&s, n, r, w, x);                                 \
		if (what == HB_INPUTS_GIVE && give_select(CALLER, &s, &ret)) \
			return ret;                                          \
		ret = WAITING(what, type);                                   \
		if (what == HB_INPUTS_KEEP)                                  \
			keep_select(&s, ret);                                \
		else if (what != HB_INPUTS_PASS)                             \
			hb__door->leave();                                   \
		return ret;                                                  \
	}
SELECT(select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x, struct timeval *restrict timeout),
	NEXT(select)(n, r, w, x, timeout))
SELECT(pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict x,
	       const struct timespec *restrict timeout, const sigset_t *restrict mask),
	NEXT(pselect)(n, r, w, x, timeout, mask))

/* ---- epoll ---- */

static bool give_epoll(const void *pc, struct epoll_event *event, int most, int *ret)
{
	struct hb__answer a;
	if (!taken(&of_epoll, pc, &a))
		return false;
	size_t room = most > 0 ? (size_t)most * sizeof *event : 0;
	memcpy(event, a.p, a.bytes < room ? a.bytes : room);
	*ret = (int)a.result;
	return true;
}

SEEN int epoll_pwait(int fd, struct epoll_event *event, int most, int timeout, const sigset_t *mask)
{
	int ret;
	enum hb_inputs what = hb__enter_wait(CALLER);
	if (what == HB_INPUTS_GIVE && give_epoll(CALLER, event, most, &ret))
		return ret;
	ret = WAITING(what, NEXT(epoll_pwait)(fd, event, most, timeout, mask));
	if (what == HB_INPUTS_KEEP)
		keep(&of_epoll, ret, event, ret > 0 ? (size_t)ret * sizeof *event : 0);
	else if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return ret;
}

SEEN int epoll_wait(int fd, struct epoll_event *event, int most, int timeout)
{
	int ret;
	enum hb_inputs what = hb__enter_wait(CALLER);
	if (what == HB_INPUTS_GIVE && give_epoll(CALLER, event, most, &ret))
		return ret;
	ret = WAITING(what, NEXT(epoll_wait)(fd, event, most, timeout));
	if (what == HB_INPUTS_KEEP)
		keep(&of_epoll, ret, event, ret > 0 ? (size_t)ret * sizeof *event : 0);
	else if (what != HB_INPUTS_PASS)
		hb__door->leave();
	return ret;
}
