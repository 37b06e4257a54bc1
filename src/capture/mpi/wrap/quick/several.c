/* Completions that answer which of several requests are over, and polls of several: past the handler as long as the answer is no. */
#include "capture/mpi/wrap/step.h"

struct kept {
	struct hb__several s;
	uintptr_t was[HB__QUICK_REQUESTS];
	MPI_Status own[HB__QUICK_REQUESTS];
};

static inline __attribute__((always_inline)) void keep(struct kept *k, int n, MPI_Request *reqs, MPI_Status *st)
{
	k->s.n = n;
	k->s.reqs = reqs;
	k->s.was = k->was;
	k->s.st = st == MPI_STATUSES_IGNORE ? k->own : st;
	for (int i = 0; i < n; i++)
		k->was[i] = (uintptr_t)reqs[i];
}

/* ---- those that wait ---- */

static void answered(struct hb__call *c, struct hb__lane *lane, struct hb__slot *slot)
{
	*c = (struct hb__call){.fn = slot->fn,
		.lane = lane,
		.slot = slot,
		.enter = lane->control->inside_enter,
		.mark = lane->scratch};
}

static int told(struct hb__call *c, uint64_t exit, int code)
{
	if (likely(code == MPI_SUCCESS && c->nresults <= HB__ROW_QUICK))
		hb__row_quick(c->lane, c->slot, c->enter, exit, 0, c->results, c->nresults);
	else
		hb__row_event(c, exit, code == MPI_SUCCESS ? 0 : hb__error_class(code));
	hb__scratch_release(c->lane, c->mark);
	return hb__quick_over(c->lane, code);
}

int hb__quick_waitany(struct hb__lane *lane, struct hb__slot *slot, hb__function next, int n, MPI_Request *reqs,
	int *index, MPI_Status *st)
{
	hb__quick_begin(lane, slot, slot->quick->id);
	struct hb__call c;
	struct kept k;
	keep(&k, n, reqs, NULL);
	st = st == MPI_STATUS_IGNORE ? k.own : st;
	int code = ((int (*)(int, MPI_Request *, int *, MPI_Status *))next)(n, reqs, index, st);
	uint64_t exit = hb__counter_tick();
	answered(&c, lane, slot);
	if (code == MPI_SUCCESS || hb__error_class(code) != HB_ERR_REQUEST)
		hb__one_completed(&c, &k.s, *index, st, code);
	return told(&c, exit, code);
}

int hb__quick_waitsome(struct hb__lane *lane, struct hb__slot *slot, hb__function next, int n, MPI_Request *reqs,
	int *out, int *indices, MPI_Status *st)
{
	hb__quick_begin(lane, slot, slot->quick->id);
	struct hb__call c;
	struct kept k;
	keep(&k, n, reqs, st);
	int code = ((int (*)(int, MPI_Request *, int *, int *, MPI_Status *))next)(n, reqs, out, indices, k.s.st);
	uint64_t exit = hb__counter_tick();
	answered(&c, lane, slot);
	hb__some_completed(&c, &k.s, *out, indices, code);
	return told(&c, exit, code);
}

/* ---- those that ask ---- */

static inline __attribute__((always_inline)) bool says_no(struct hb__lane *lane, int code, bool no)
{
	if (unlikely(code != MPI_SUCCESS || !no))
		return false;
	lane->control->polls++;
	return true;
}

/* The call, with its arguments, as its handler has it; its event begins. */
static void yes(struct hb__call *c, struct hb__lane *lane, const struct hb__asker *who, uintptr_t *a)
{
	*c = (struct hb__call){.fn = who->fn, .a = a, .lane = lane, .pc = who->pc, .cfa = who->cfa};
	hb__begin_poll(c);
}

int hb__quick_testall(
	struct hb__lane *lane, const struct hb__asker *who, int n, MPI_Request *reqs, int *flag, MPI_Status *st)
{
	struct hb__call c;
	struct kept k;
	hb__counted_begin(lane, who->fn->id);
	keep(&k, n, reqs, st);
	int code = ((int (*)(int, MPI_Request *, int *, MPI_Status *))who->next)(n, reqs, flag, k.s.st);
	if (unlikely(!says_no(lane, code, !*flag))) {
		yes(&c, lane, who, (uintptr_t[]){(uintptr_t)n, (uintptr_t)reqs, (uintptr_t)flag, (uintptr_t)k.s.st});
		hb__all_completed(
			&c, n, reqs, k.was, k.s.st, code, hb__results(&c, (size_t)n * HB__STATUS_RESULTS + 1));
		hb__end_poll(&c, code);
	}
	return hb__counted_end(lane, code);
}

int hb__quick_testany(struct hb__lane *lane, const struct hb__asker *who, int n, MPI_Request *reqs, int *index,
	int *flag, MPI_Status *st)
{
	struct hb__call c;
	struct kept k;
	hb__counted_begin(lane, who->fn->id);
	keep(&k, n, reqs, NULL);
	st = st == MPI_STATUS_IGNORE ? k.own : st;
	int code = ((int (*)(int, MPI_Request *, int *, int *, MPI_Status *))who->next)(n, reqs, index, flag, st);
	if (unlikely(!says_no(lane, code, !*flag))) {
		yes(&c, lane, who,
			(uintptr_t[]){(uintptr_t)n, (uintptr_t)reqs, (uintptr_t)index, (uintptr_t)flag, (uintptr_t)st});
		hb__one_completed(&c, &k.s, *index, st, code);
		hb__end_poll(&c, code);
	}
	return hb__counted_end(lane, code);
}

int hb__quick_testsome(struct hb__lane *lane, const struct hb__asker *who, int n, MPI_Request *reqs, int *out,
	int *indices, MPI_Status *st)
{
	struct hb__call c;
	struct kept k;
	hb__counted_begin(lane, who->fn->id);
	keep(&k, n, reqs, st);
	int code = ((int (*)(int, MPI_Request *, int *, int *, MPI_Status *))who->next)(n, reqs, out, indices, k.s.st);
	if (unlikely(!says_no(lane, code, *out == 0))) {
		yes(&c, lane, who,
			(uintptr_t[]){
				(uintptr_t)n, (uintptr_t)reqs, (uintptr_t)out, (uintptr_t)indices, (uintptr_t)k.s.st});
		hb__some_completed(&c, &k.s, *out, indices, code);
		hb__end_poll(&c, code);
	}
	return hb__counted_end(lane, code);
}
