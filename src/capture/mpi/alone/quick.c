/* The calls that are made often - a send, a receive, both without waiting, what completes them - where they come as they came before and
 * their contents lie in one piece. They do what ways.c and their handlers do, without what those have for all other cases: no buffer is
 * described, no status is passed on, no results of a row are put together. Whatever is unusual is found before anything was done, and
 * left to the handler. */
#include <string.h>

#include "capture/mpi/alone/alone.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/replay/replay.h"
#include "capture/mpi/wrap/step.h"

#define MOST 64 /* requests of a call */

static inline void enter(struct hb__call *c)
{
	struct hb_lane_control *control = c->lane->control;
	c->outer_inside = control->inside;
	control->inside = c->slot->inside;
}

static inline int leave(struct hb__call *c)
{
	hb__alone_end(c, 0);
	c->lane->control->inside = c->outer_inside;
	return MPI_SUCCESS;
}

/* ---- what came ---- */

/* The numbers of a status; false: they are not there. */
static inline bool numbers(struct hb__item *item, uint32_t what, int64_t v[4])
{
	struct hb__piece piece;
	uint32_t four = 0x80;
	if (!hb__item_piece(item, &piece) || piece.what != what)
		return false;
	if (likely(piece.bytes == sizeof four))
		memcpy(&four, piece.p, sizeof four);
	if (likely(!(four & 0x80808080))) { /* a byte each */
		v[0] = hb_unzigzag(four & 0xff);
		v[1] = hb_unzigzag(four >> 8 & 0xff);
		v[2] = hb_unzigzag(four >> 16 & 0xff);
		v[3] = hb_unzigzag(four >> 24);
		return true;
	}
	const uint8_t *p = piece.p, *end = p + piece.bytes;
	for (int i = 0; i < 4 && p; i++)
		p = hb_get_sv(p, end, &v[i]);
	return p;
}

/* A message: its status, for which there may be no place, and its contents. False: they are not there. */
static inline bool message(
	struct hb__item *item, uint32_t status, uint32_t contents, void *into, int64_t room, MPI_Status *st)
{
	struct hb__piece piece;
	int64_t v[4];
	if (unlikely(!item || !numbers(item, status, v)))
		return false;
	if (st) {
		hb__status_set_cancelled(st, v[3] != 0);
		hb__status_set_bytes(st, v[2]);
		st->MPI_SOURCE = likely(v[0] >= 0) ? (int)v[0] : hb__library_rank(v[0]);
		st->MPI_TAG = likely(v[1] >= 0) ? (int)v[1] : hb__library_tag(v[1]);
	}
	if (unlikely(v[3]))
		return true;
	int64_t bytes = v[2] < room ? v[2] : room;
	bytes = bytes > 0 ? bytes : 0;
	if (unlikely(!hb__item_piece(item, &piece) || piece.what != contents || (int64_t)piece.bytes != bytes))
		return false;
	memcpy(into, piece.p, piece.bytes);
	return true;
}

static int quick_recv(struct hb__call *c)
{
	MPI_Status *st = (MPI_Status *)hb__arg(c, HB_R_STATUS);
	if (unlikely(hb__threaded || (!st && st != MPI_STATUS_IGNORE)))
		return hb__on_recv(c);
	const struct hb__slot *s = c->slot = hb__slot_find(c);
	if (unlikely(!s->dense || s->bytes < 0 || s->answers == HB__TELLS_NOTHING))
		return hb__on_recv(c);
	if (s->check_bytes) /* what MPI_Sendrecv sends */
		c->check = hb__contents((const void *)c->a[s->check_arg], s->check_bytes);
	if (unlikely(!hb__follow_same(c)))
		return hb__on_recv(c);
	enter(c);
	if (hb__has(c, HB_R_DEST))
		hb__compare_sent(c);
	struct hb__item *item = hb__data_of_event(c->lane->follow->event);
	bool good = message(item, hb__io_what(c, HB_R_STATUS), hb__io_what(c, HB_R_RBUF), (void *)hb__arg(c, HB_R_RBUF),
		s->bytes, st == MPI_STATUS_IGNORE ? NULL : st);
	hb__io_shared(c);
	if (unlikely(!good))
		hb__alone_without(c);
	return leave(c);
}

/* ---- what is sent ---- */

/* It is the call of the record, and its contents were compared. False: nothing was done. */
static inline bool sent(struct hb__call *c)
{
	if (unlikely(hb__threaded))
		return false;
	const struct hb__slot *s = c->slot = hb__slot_find(c);
	if (unlikely(!s->check_bytes))
		return false;
	c->check = hb__contents((const void *)c->a[s->check_arg], s->check_bytes);
	if (unlikely(!hb__follow_same(c)))
		return false;
	enter(c);
	if (likely(c->has_recorded && c->check && c->check == c->recorded))
		hb__looked(HB__COMPARED, 1);
	else
		hb__compare_sent(c);
	return true;
}

static int quick_send(struct hb__call *c) { return likely(sent(c)) ? leave(c) : hb__on_send(c); }

/* ---- requests ---- */

static inline struct hb__request *post(struct hb__call *c, void *into)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_NEWREQ);
	*req = hb__alone_request();
	struct hb__request *r = hb__quick_track(c->lane, req);
	if (unlikely(!r))
		return NULL;
	r->plain = true;
	r->into = into;
	return r;
}

static int quick_isend(struct hb__call *c)
{
	if (unlikely(!sent(c)))
		return hb__on_send(c);
	post(c, NULL);
	return leave(c);
}

static int quick_irecv(struct hb__call *c)
{
	if (unlikely(hb__threaded))
		return hb__on_recv(c);
	const struct hb__slot *s = c->slot = hb__slot_find(c);
	if (unlikely(!s->dense || s->bytes <= 0 || s->answers == HB__TELLS_NOTHING || !hb__follow_same(c)))
		return hb__on_recv(c);
	enter(c);
	struct hb__request *r = post(c, (void *)hb__arg(c, HB_R_RBUF));
	if (likely(r)) {
		r->receive = true;
		r->wild = s->answers == HB__TELLS_MESSAGE;
		r->bytes = s->bytes;
		r->source = hb__neutral_rank((int)hb__arg(c, HB_R_SOURCE));
		r->tag = hb__neutral_tag((int)hb__arg(c, HB_R_LAST_TAG));
	}
	return leave(c);
}

/* Those that the functions above made, each once. *ret_brings: there is a receive among them. */
static inline bool take(int n, const MPI_Request *reqs, struct hb__request **ret, bool *ret_brings)
{
	int i = 0;
	for (; i < n; i++) {
		struct hb__request *r = *hb__request_place((uintptr_t)reqs[i]);
		if (unlikely(!r || r->handle != (uintptr_t)reqs[i] || !r->plain || r->chain || r->cancelling ||
			     r->taken))
			break;
		r->taken = true;
		*ret_brings |= r->receive;
		ret[i] = r;
	}
	if (likely(i == n))
		return true;
	while (i-- > 0)
		hb__request_back(ret[i]);
	return false;
}

/* st: NULL where the program wants none. */
static inline int complete(
	struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st, uint32_t status, hb__handler *otherwise)
{
	struct hb__request *r[MOST];
	bool brings = false, good = true;
	if (unlikely(hb__threaded || n > MOST || !take(n, reqs, r, &brings)))
		return otherwise(c);
	c->slot = hb__slot_find(c);
	if (unlikely(!hb__follow_same(c))) {
		for (int i = 0; i < n; i++)
			hb__request_back(r[i]);
		return otherwise(c);
	}
	enter(c);
	struct hb__item *item = brings ? hb__data_of_event(c->lane->follow->event) : NULL;
	for (int i = 0; i < n; i++) {
		if (st)
			hb__alone_empty(&st[i]);
		if (r[i]->receive)
			good = good && message(item, status, HB_DATA_REQUEST + (uint32_t)i, r[i]->into, r[i]->bytes,
					       st ? &st[i] : NULL);
	}
	hb__io_shared(c);
	if (unlikely(!good))
		hb__alone_without(c);
	for (int i = 0; i < n; i++) {
		hb__alone_request_over((MPI_Request)r[i]->handle);
		reqs[i] = hb__known.request_null;
		hb__request_remove(r[i]);
	}
	return leave(c);
}

static int quick_wait(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	MPI_Status *st = (MPI_Status *)hb__arg(c, HB_R_STATUS);
	if (unlikely(!req || (!st && st != MPI_STATUS_IGNORE)))
		return hb__on_wait(c);
	return complete(c, 1, req, st == MPI_STATUS_IGNORE ? NULL : st, hb__io_what(c, HB_R_STATUS), hb__on_wait);
}

static int quick_waitall(struct hb__call *c)
{
	int n = (int)hb__arg(c, HB_R_NREQ);
	MPI_Request *reqs = (MPI_Request *)hb__arg(c, HB_R_REQS);
	MPI_Status *st = (MPI_Status *)hb__arg(c, HB_R_STATUSES);
	if (unlikely(n <= 0 || !reqs || (!st && st != MPI_STATUSES_IGNORE)))
		return hb__on_waitall(c);
	return complete(
		c, n, reqs, st == MPI_STATUSES_IGNORE ? NULL : st, hb__io_what(c, HB_R_STATUSES), hb__on_waitall);
}

/* The quick one of a handler; NULL: there is none. */
static hb__handler *quick_one(const struct hb__fn *fn, hb__handler *handler)
{
	bool later = fn->flags & HB_NONBLOCKING, both = fn->cls == HB_RECV && fn->role[HB_R_DEST];
	if (fn->flags & HB_PERSISTENT || (later && both))
		return NULL;
	if (handler == hb__on_send)
		return later ? quick_isend : quick_send;
	if (handler == hb__on_recv)
		return later ? quick_irecv : quick_recv;
	return handler == hb__on_wait ? quick_wait : handler == hb__on_waitall ? quick_waitall : NULL;
}

void hb__alone_start_quick(void)
{
	if (*hb__config.replay_log) /* whose rows have results */
		return;
	for (int i = 0; i < HB_FN_COUNT; i++) {
		hb__handler *quick = hb__fns[i] ? quick_one(hb__fns[i], hb__handlers[i]) : NULL;
		if (quick)
			hb__handlers[i] = quick;
	}
}
