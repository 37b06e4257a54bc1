/* MPI_Wait and MPI_Waitall on the quick way, and a test that says yes. */
#include "capture/mpi/wrap/step.h"

struct waited {
	int n;
	const MPI_Request *reqs;
	const uintptr_t *was; /* the handles in them before */
	MPI_Status *st;
};

static inline bool is_null(uintptr_t handle) { return (MPI_Request)handle == hb__known.request_null; }

/* Nobody knows more of them than the quick way of their sends and receives. */
static inline __attribute__((always_inline)) bool all_simple(const struct waited *w)
{
	for (int i = 0; i < w->n; i++) {
		const struct hb__request *r = *hb__request_place(w->was[i]);
		if (unlikely(!r || r->handle != w->was[i] || r->more) && !is_null(w->was[i]))
			return false;
	}
	return !hb__requests.mixed;
}

/* The results of one, as hb__result_status has them; adds to *n how many there are. */
static inline __attribute__((always_inline)) uint8_t *put_status(
	struct hb__lane *lane, uint8_t *w, const struct hb__request *r, const MPI_Status *st, unsigned *n)
{
	bool told = r->receive && r->source != HB_PROC_NULL &&
		    (r->wild || (r->bytes >= 0 && hb__status_bytes(st) != r->bytes));
	bool cancelled = hb__status_cancelled(st);
	w = hb_put_sv(w, unlikely(cancelled) ? HB_ST_CANCELLED : told ? HB_ST_MESSAGE : HB_ST_AS_POSTED);
	if (likely(r->lane == lane->number)) {
		w = hb_put_sv(w, 2 * ((int64_t)r->posting - (lane->last_ref + 1)));
		lane->last_ref = (int64_t)r->posting;
		*n += 2;
	} else {
		w = hb_put_sv(w, 2 * (int64_t)r->lane + 1);
		w = hb_put_sv(w, (int64_t)r->posting);
		*n += 3;
	}
	if (!told || cancelled)
		return w;
	w = hb_put_sv(w, hb__neutral_rank(st->MPI_SOURCE));
	w = hb_put_sv(w, hb__neutral_tag(st->MPI_TAG));
	*n += 3;
	return hb_put_sv(w, hb__status_bytes(st));
}

/* Straight into the row. False: nothing was done. */
static inline __attribute__((always_inline)) bool put_all(
	struct hb__lane *lane, struct hb__slot *slot, uint64_t exit, const struct waited *done)
{
	unsigned n = 0;
	if (unlikely(!all_simple(done)))
		return false;
	struct hb_lane_control *control = lane->control;
	uint8_t *w = hb__row_begin(lane, control, slot, control->inside_enter, exit, 0, 0,
		(size_t)done->n * HB__STATUS_RESULTS + 1, done->n > 0);
	if (unlikely(!w))
		return false;
	uint8_t *count = w;
	w += done->n > 0;
	for (int i = 0; i < done->n; i++) {
		struct hb__request *r = *hb__request_place(done->was[i]);
		/* null; or not known: given twice, or of a call that is not recorded */
		if (unlikely(!r || r->handle != done->was[i])) {
			w = hb_put_sv(w, is_null(done->was[i]) ? HB_ST_NULL : HB_ST_UNKNOWN);
			n++;
			continue;
		}
		w = put_status(lane, w, r, &done->st[i], &n);
		hb__request_remove(r);
	}
	if (done->n)
		*count = (uint8_t)n;
	hb__row_done(lane, control, w);
	return true;
}

/* Whatever they are, and whatever the call answered. */
static __attribute__((noinline)) void put_any(
	struct hb__lane *lane, struct hb__slot *slot, uint64_t exit, const struct waited *done, int code)
{
	int64_t results[HB__QUICK_REQUESTS * HB__STATUS_RESULTS];
	struct hb__call c = {
		.fn = slot->fn, .lane = lane, .slot = slot, .enter = lane->control->inside_enter, .results = results};
	if (c.fn->role[HB_R_REQS])
		hb__all_completed(&c, done->n, done->reqs, done->was, done->st, code, true);
	else
		hb__completed(&c, done->was[0], done->reqs, done->st, code, true);
	hb__row_event(&c, exit, code == MPI_SUCCESS ? 0 : hb__error_class(code));
}

int hb__quick_wait(struct hb__lane *lane, struct hb__slot *slot, hb__function next, MPI_Request *req, MPI_Status *st)
{
	hb__quick_begin(lane, slot, slot->quick->id);
	MPI_Status own;
	uintptr_t was = (uintptr_t)*req;
	struct waited done = {1, req, &was, st == MPI_STATUS_IGNORE ? &own : st};
	int code = ((int (*)(MPI_Request *, MPI_Status *))next)(req, done.st);
	uint64_t exit = hb__counter_tick();
	if (unlikely(code != MPI_SUCCESS || !put_all(lane, slot, exit, &done)))
		put_any(lane, slot, exit, &done, code);
	return hb__quick_over(lane, code);
}

int hb__quick_waitall(
	struct hb__lane *lane, struct hb__slot *slot, hb__function next, int n, MPI_Request *reqs, MPI_Status *st)
{
	hb__quick_begin(lane, slot, slot->quick->id);
	MPI_Status own[HB__QUICK_REQUESTS];
	uintptr_t was[HB__QUICK_REQUESTS];
	struct waited done = {n, reqs, was, st == MPI_STATUSES_IGNORE ? own : st};
	for (int i = 0; i < n; i++)
		was[i] = (uintptr_t)reqs[i];
	int code = ((int (*)(int, MPI_Request *, MPI_Status *))next)(n, reqs, done.st);
	uint64_t exit = hb__counter_tick();
	if (unlikely(code != MPI_SUCCESS || !put_all(lane, slot, exit, &done)))
		put_any(lane, slot, exit, &done, code);
	return hb__quick_over(lane, code);
}

int hb__quick_tested(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, const void *pc, const void *cfa,
	uintptr_t was, int code)
{
	struct hb__call c = {.fn = fn, .a = a, .lane = lane, .pc = pc, .cfa = cfa};
	hb__test_completed(
		&c, was, (const MPI_Request *)hb__arg(&c, HB_R_REQUEST), (MPI_Status *)hb__arg(&c, HB_R_STATUS), code);
	lane->depth = 0;
	return code;
}

/* ---- the same at level order, of calls that are no choice ---- */

bool hb__completes_choice(int n, const MPI_Request *reqs)
{
	bool yes = false;
	for (int i = 0; i < n && !yes; i++)
		yes = hb__chosen((uintptr_t)reqs[i]);
	return yes;
}

int hb__counted_wait(struct hb__lane *lane, hb__function next, MPI_Request *req, MPI_Status *st)
{
	struct hb__call c = {.lane = lane};
	MPI_Status own;
	uintptr_t was = (uintptr_t)*req;
	if (st == MPI_STATUS_IGNORE)
		st = &own;
	int code = ((int (*)(MPI_Request *, MPI_Status *))next)(req, st);
	hb__completed(&c, was, req, st, code, false);
	return hb__counted_end(lane, code);
}

int hb__counted_waitall(struct hb__lane *lane, hb__function next, int n, MPI_Request *reqs, MPI_Status *st)
{
	struct hb__call c = {.lane = lane};
	MPI_Status own[HB__QUICK_REQUESTS];
	uintptr_t was[HB__QUICK_REQUESTS];
	if (st == MPI_STATUSES_IGNORE)
		st = own;
	for (int i = 0; i < n; i++)
		was[i] = (uintptr_t)reqs[i];
	int code = ((int (*)(int, MPI_Request *, MPI_Status *))next)(n, reqs, st);
	hb__all_completed(&c, n, reqs, was, st, code, false);
	return hb__counted_end(lane, code);
}
