/* Completion: Wait and Test, of one request, of all, of any, of some. The
 * handles are copied first, for completion overwrites them. */
#include "capture/mpi/wrap/step.h"

/* With a status of their own each, requests that share a handle are told apart by order only. */
static bool is_null(uintptr_t handle) { return (MPI_Request)handle == hb__known.request_null; }

/* At level order a completion is a choice when it tells which message a wildcard got, or whether a cancel worked. */
bool hb__chosen(uintptr_t handle)
{
	if (is_null(handle))
		return false;
	const struct hb__request *r = hb__request_find(handle);
	return r && r->active && (r->wild || r->cancelling);
}

void hb__result_status(
	struct hb__call *c, const struct hb__request *r, const MPI_Status *st, int error, const uint16_t *check)
{
	bool cancelled = hb__status_cancelled(st);
	bool told = r->receive && r->source != HB_PROC_NULL &&
		    (r->wild || (r->bytes >= 0 && hb__status_bytes(st) != r->bytes));
	hb__result(c, error != MPI_SUCCESS ? HB_ST_ERROR
		      : cancelled          ? HB_ST_CANCELLED
		      : told               ? HB_ST_MESSAGE
		      : check              ? HB_ST_CONTENTS
					   : HB_ST_AS_POSTED);
	hb__result_ref(c, r->lane, r->posting);
	if (error != MPI_SUCCESS)
		hb__result(c, hb__error_class(error));
	if (error != MPI_SUCCESS || (told && !cancelled))
		hb__result_message(c, st);
	else if (unlikely(check && !cancelled))
		hb__result(c, *check);
}

/* A communicator that was being duplicated exists now. */
static void duplicated(struct hb__request *r)
{
	if (r->idup)
		hb__comm_add(r->idup_parent, r->idup_index, r->idup_from, *r->idup);
}

static uint16_t contents_of(struct hb__call *c, struct hb__request *r)
{
	struct hb__begun begun;
	uint16_t check = hb__awaited_now(r, &begun);
	HB__TELL(awaited, c, r, &begun, check);
	return check;
}

/* The results of one completed request, and its end. at: its variable. */
void hb__completed(struct hb__call *c, uintptr_t handle, const MPI_Request *at, MPI_Status *st, int error, bool tell)
{
	struct hb__request *r = is_null(handle) ? NULL : hb__request_take(handle, at);
	if (is_null(handle) || (r && !r->active)) {
		hb__request_back(r);
		if (tell)
			hb__result(c, HB_ST_NULL);
		return;
	}
	if (!r) {
		if (tell)
			hb__result(c, HB_ST_UNKNOWN);
		return;
	}
	bool pending = unlikely(error != MPI_SUCCESS) && hb__error_class(error) == HB_ERR_PENDING;
	if (!pending)
		HB__TELL(over, c, r, at, st, error);
	if (unlikely(hb__awaiting) && (r->unsure || ((r->chain || r->tail != r) && r->at != at)))
		hb__awaited_unsure(r);
	uint16_t check = 0;
	bool checked = unlikely(r->awaited) && error == MPI_SUCCESS;
	if (checked)
		check = contents_of(c, r);
	if (tell)
		hb__result_status(c, r, st, error, checked ? &check : NULL);
	if (pending) {
		hb__request_back(r);
		return;
	}
	if (error == MPI_SUCCESS)
		duplicated(r);
	if (unlikely(r->awaited) && !r->persistent)
		hb__awaited_drop(r);
	r->cancelling = false;
	if (r->persistent) {
		r->active = false;
		hb__request_back(r);
	} else {
		hb__request_remove(r);
	}
}

static bool telling(const struct hb__call *c) { return !hb__config.order || c->choice; }

int hb__on_wait(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	MPI_Status own, *st = hb__status(c, &own);
	HB__NEED(req && st);
	uintptr_t was = (uintptr_t)*req;
	hb__begin(c, hb__config.order && hb__chosen(was));
	int code = HB__GO(wait, c, req, st);
	hb__completed(c, was, req, st, code, telling(c) && hb__results(c, HB__STATUS_RESULTS));
	hb__end(c, code);
	return code;
}

/* Apart from the way of a poll that says no, which is to stay short. */
__attribute__((noinline)) int hb__test_completed(
	struct hb__call *c, uintptr_t was, const MPI_Request *req, MPI_Status *st, int code)
{
	hb__begin_poll(c);
	hb__completed(c, was, req, st, code, hb__results(c, HB__STATUS_RESULTS));
	hb__end_poll(c, code);
	return code;
}

int hb__on_test(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	MPI_Status own, *st = hb__status(c, &own);
	HB__NEED(req && st);
	uintptr_t was = (uintptr_t)*req;
	int *flag = (int *)hb__arg(c, HB_R_FLAG);
	HB__NEED(flag);
	int code = HB__GO(test, c, req, st, flag);
	if (likely(code == MPI_SUCCESS && !*flag)) {
		c->lane->control->polls++;
		return code;
	}
	return hb__test_completed(c, was, req, st, code);
}

int hb__on_get_status(struct hb__call *c)
{
	uintptr_t was = c->a[0];
	MPI_Status own, *st = hb__status(c, &own);
	int *flag = (int *)hb__arg(c, HB_R_FLAG);
	HB__NEED(flag && st);
	int code = HB__GO(get_status, c, st, flag);
	if (likely(code == MPI_SUCCESS && !*flag)) {
		c->lane->control->polls++;
		return code;
	}
	hb__begin_poll(c);
	struct hb__request *r = is_null(was) ? NULL : hb__request_find(was);
	HB__TELL(looked, c, r, was, st, code);
	if (hb__results(c, HB__STATUS_RESULTS)) {
		if (r && r->active)
			hb__result_status(c, r, st, code, NULL);
		else
			hb__result(c, is_null(was) || r ? HB_ST_NULL : HB_ST_UNKNOWN);
	}
	hb__end_poll(c, code);
	return code;
}

/* ---- arrays of requests ---- */

/* False: there is no room for an answer. */
static inline bool answered(const struct hb__call *c, enum hb_role role)
{
	return !hb__has(c, role) || hb__arg(c, role);
}
static bool all_answered(const struct hb__call *c)
{
	return answered(c, HB_R_FLAG) && answered(c, HB_R_INDEX) && answered(c, HB_R_OUTCOUNT) &&
	       answered(c, HB_R_STATUS);
}

/* False: the call is wrong, or memory is gone; it is then the library's alone. */
static bool several(struct hb__call *c, struct hb__several *s)
{
	s->mark = c->lane->scratch;
	s->n = (int)hb__arg(c, HB_R_NREQ);
	s->reqs = (MPI_Request *)hb__arg(c, HB_R_REQS);
	if (s->n < 0 || (s->n && (!s->reqs || (hb__has(c, HB_R_INDICES) && !hb__arg(c, HB_R_INDICES)))))
		return false;
	size_t n = (size_t)s->n;
	s->was = hb__scratch(c->lane, (n + 1) * sizeof *s->was);
	if (!s->was)
		return false;
	for (size_t i = 0; i < n; i++)
		s->was[i] = (uintptr_t)s->reqs[i];
	s->st = NULL;
	if (hb__has(c, HB_R_STATUSES)) {
		uintptr_t *at = &c->a[hb__role(c, HB_R_STATUSES)];
		if ((MPI_Status *)*at == MPI_STATUSES_IGNORE) {
			MPI_Status *own = hb__scratch(c->lane, (n + 1) * sizeof *own);
			if (!own)
				return false;
			*at = (uintptr_t)own;
		}
		s->st = (MPI_Status *)*at;
		if (n && !s->st)
			return false;
	}
	return true;
}

static bool any_chosen(const struct hb__several *s)
{
	bool yes = false;
	for (int i = 0; hb__config.order && i < s->n && !yes; i++)
		yes = hb__chosen(s->was[i]);
	return yes;
}

static int error_of(int code, const MPI_Status *st)
{
	return code == MPI_SUCCESS                         ? MPI_SUCCESS
	       : hb__error_class(code) == HB_ERR_IN_STATUS ? st->MPI_ERROR
							   : MPI_SUCCESS;
}

void hb__all_completed(
	struct hb__call *c, int n, const MPI_Request *reqs, const uintptr_t *was, MPI_Status *st, int code, bool tell)
{
	if (code != MPI_SUCCESS && hb__error_class(code) != HB_ERR_IN_STATUS)
		return; /* the call itself was wrong: nothing completed */
	for (int i = 0; i < n; i++)
		hb__completed(c, was[i], &reqs[i], &st[i], error_of(code, &st[i]), tell);
}

static bool room_for_all(struct hb__call *c, const struct hb__several *s)
{
	return hb__results(c, (size_t)s->n * HB__STATUS_RESULTS + 1);
}

int hb__on_waitall(struct hb__call *c)
{
	struct hb__several s;
	if (!several(c, &s))
		return hb__invoke_next(c);
	hb__begin(c, any_chosen(&s));
	int code = HB__GO(waitall, c, s.n, s.reqs, s.st);
	hb__all_completed(c, s.n, s.reqs, s.was, s.st, code, telling(c) && room_for_all(c, &s));
	hb__end(c, code);
	hb__scratch_release(c->lane, s.mark);
	return code;
}

int hb__on_testall(struct hb__call *c)
{
	struct hb__several s;
	if (!all_answered(c) || !several(c, &s))
		return hb__invoke_next(c);
	int *flag = (int *)hb__arg(c, HB_R_FLAG), code = HB__GO(testall, c, s.n, s.reqs, s.st, flag);
	if (likely(code == MPI_SUCCESS && !*flag)) {
		c->lane->control->polls++;
	} else {
		hb__begin_poll(c);
		hb__all_completed(c, s.n, s.reqs, s.was, s.st, code, room_for_all(c, &s));
		hb__end_poll(c, code);
	}
	hb__scratch_release(c->lane, s.mark);
	return code;
}

void hb__one_completed(struct hb__call *c, const struct hb__several *s, int index, MPI_Status *st, int code)
{
	if (!hb__results(c, HB__STATUS_RESULTS + 1))
		return;
	if (index < 0 || index >= s->n) { /* MPI_UNDEFINED: none was active */
		hb__result(c, -1);
		return;
	}
	hb__result(c, index);
	hb__completed(c, s->was[index], &s->reqs[index], st, code, true);
}

int hb__on_waitany(struct hb__call *c)
{
	struct hb__several s;
	MPI_Status own, *st = hb__status(c, &own);
	if (!all_answered(c) || !several(c, &s))
		return hb__invoke_next(c);
	int *index = (int *)hb__arg(c, HB_R_INDEX);
	hb__begin(c, true);
	int code = HB__GO(waitany, c, index, st);
	if (code == MPI_SUCCESS || hb__error_class(code) != HB_ERR_REQUEST)
		hb__one_completed(c, &s, *index, st, code);
	hb__end(c, code);
	hb__scratch_release(c->lane, s.mark);
	return code;
}

int hb__on_testany(struct hb__call *c)
{
	struct hb__several s;
	MPI_Status own, *st = hb__status(c, &own);
	if (!all_answered(c) || !several(c, &s))
		return hb__invoke_next(c);
	int *flag = (int *)hb__arg(c, HB_R_FLAG), *index = (int *)hb__arg(c, HB_R_INDEX);
	int code = HB__GO(testany, c, index, st, flag);
	if (likely(code == MPI_SUCCESS && !*flag)) {
		c->lane->control->polls++;
	} else {
		hb__begin_poll(c);
		hb__one_completed(c, &s, *index, st, code);
		hb__end_poll(c, code);
	}
	hb__scratch_release(c->lane, s.mark);
	return code;
}

void hb__some_completed(struct hb__call *c, const struct hb__several *s, int n, const int *indices, int code)
{
	if (code != MPI_SUCCESS && hb__error_class(code) != HB_ERR_IN_STATUS)
		return;
	if (n == MPI_UNDEFINED || n < 0) {
		if (hb__results(c, 1))
			hb__result(c, -1);
		return;
	}
	bool tell = hb__results(c, 1 + (size_t)n * (HB__STATUS_RESULTS + 1));
	if (tell)
		hb__result(c, n);
	for (int k = 0; k < n; k++) {
		if (tell)
			hb__result(c, indices[k]);
		hb__completed(c, s->was[indices[k]], &s->reqs[indices[k]], &s->st[k], error_of(code, &s->st[k]), tell);
	}
}

int hb__on_waitsome(struct hb__call *c)
{
	struct hb__several s;
	if (!all_answered(c) || !several(c, &s))
		return hb__invoke_next(c);
	int *out = (int *)hb__arg(c, HB_R_OUTCOUNT), *indices = (int *)hb__arg(c, HB_R_INDICES);
	hb__begin(c, true);
	int code = HB__GO(waitsome, c, out, indices, s.st);
	hb__some_completed(c, &s, *out, indices, code);
	hb__end(c, code);
	hb__scratch_release(c->lane, s.mark);
	return code;
}

int hb__on_testsome(struct hb__call *c)
{
	struct hb__several s;
	if (!all_answered(c) || !several(c, &s))
		return hb__invoke_next(c);
	int *out = (int *)hb__arg(c, HB_R_OUTCOUNT), *indices = (int *)hb__arg(c, HB_R_INDICES);
	int code = HB__GO(testsome, c, out, indices, s.st);
	if (likely(code == MPI_SUCCESS && *out == 0)) {
		c->lane->control->polls++;
	} else {
		hb__begin_poll(c);
		hb__some_completed(c, &s, *out, indices, code);
		hb__end_poll(c, code);
	}
	hb__scratch_release(c->lane, s.mark);
	return code;
}

/* ---- looking without completing ---- */

static void seen(struct hb__call *c, struct hb__several *s, int index, MPI_Status *st, int code)
{
	if (index < 0 || index >= s->n)
		return;
	struct hb__request *r = is_null(s->was[index]) ? NULL : hb__request_find(s->was[index]);
	HB__TELL(looked, c, r, s->was[index], st, code);
}

/* MPI_Request_get_status_all, _any and _some: the library is asked about the requests that stand for the program's. */
int hb__on_look_at_several(struct hb__call *c)
{
	struct hb__several s;
	MPI_Status own, *st = hb__has(c, HB_R_STATUS) ? hb__status(c, &own) : NULL;
	if (!all_answered(c) || !several(c, &s))
		return hb__invoke_next(c);
	MPI_Request *real = hb__scratch(c->lane, ((size_t)s.n + 1) * sizeof *real);
	for (int i = 0; real && i < s.n; i++)
		real[i] = hb__way && hb__way->real ? hb__way->real(s.reqs[i]) : s.reqs[i];
	if (real)
		c->a[hb__role(c, HB_R_REQS)] = (uintptr_t)real;
	int code = hb__invoke_next(c);
	c->a[hb__role(c, HB_R_REQS)] = (uintptr_t)s.reqs;
	bool yes = code == MPI_SUCCESS && (!hb__has(c, HB_R_FLAG) || *(int *)hb__arg(c, HB_R_FLAG));
	if (yes && hb__has(c, HB_R_INDEX)) {
		seen(c, &s, *(int *)hb__arg(c, HB_R_INDEX), st, code);
	} else if (yes) {
		const int *indices = hb__has(c, HB_R_INDICES) ? (const int *)hb__arg(c, HB_R_INDICES) : NULL;
		int n = indices ? *(int *)hb__arg(c, HB_R_OUTCOUNT) : s.n;
		for (int k = 0; k < n; k++)
			seen(c, &s, indices ? indices[k] : k, &s.st[k], code);
	}
	hb__scratch_release(c->lane, s.mark);
	return code;
}
