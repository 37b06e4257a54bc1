/* Requests: made, started, completed, freed. */
#include <string.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/mpi/check/handles/handles.h"
#include "capture/mpi/family/family.h"

uint32_t hb__requests_turn;

static struct hb__map by_variable; /* of the last one posted into a variable */
static struct hb__watch *unused;

/* ---- what stands beside a request; under the lock ---- */

static struct hb__watch *watch_new(struct hb__request *r, struct hb__held *h)
{
	struct hb__watch *w = unused ? unused : hb__pool(sizeof *w);
	if (!w)
		return NULL;
	if (w == unused)
		unused = w->next;
	*w = (struct hb__watch){.request = r, .held = h, .lane = r->lane, .posting = r->posting};
	r->watch = w;
	h->sure = h->sure ? h->sure : r;
	return w;
}

static void watch_drop(struct hb__watch *w)
{
	struct hb__request *r = w->request;
	r->watch = NULL;
	w->held->sure = w->held->sure == r ? r->chain : w->held->sure;
	hb__map_remove_if(&by_variable, (uintptr_t)r->at, w);
	w->next = unused;
	unused = w;
}

/* The next that is watched, from this one on. */
static struct hb__request *watched(struct hb__request *r)
{
	while (r && !r->watch)
		r = r->chain;
	return r;
}

/* The next that is watched and that no other thread is about to end: this thread does not mean that one. */
static struct hb__request *meant(struct hb__request *r)
{
	while (r && (!r->watch || hb__request_of_another(r)))
		r = r->chain;
	return r;
}

/* The first that a thread may mean; where each is about to be ended by another one (MPI_Cancel is for such), the first of them. */
static struct hb__request *first_meant(uintptr_t handle)
{
	struct hb__request *all = hb__request_first(handle), *first = meant(all);
	return first ? first : watched(all);
}

struct hb__watch *hb__watch_find(uintptr_t handle, const MPI_Request *at)
{
	struct hb__request *first = first_meant(handle);
	if (!first || !meant(first->chain))
		return first ? first->watch : NULL;
	struct hb__watch *found = at ? hb__map_find(&by_variable, (uintptr_t)at) : NULL;
	if (found && found->request->handle != handle)
		found = NULL;
	if (found && !found->variable_again)
		return found;
	struct hb__held *h = first->watch->held;
	for (struct hb__request *r = watched(h->sure); r; r = watched(r->chain)) {
		r->watch->unsure = true; /* which of them it is nobody knows */
		hb__pending_drop(r->watch, false);
	}
	h->sure = NULL;
	return found ? found : first->watch;
}

/* The same, without a look into a table where the request has its handle for itself. */
static inline struct hb__watch *watch_of(struct hb__request *r, const MPI_Request *at)
{
	bool alone = r->watch && !r->chain && r->tail == r;
	return likely(alone) ? r->watch : hb__watch_find(r->handle, at);
}

/* What belongs to this variable becomes that of the request which is over. */
static struct hb__watch *watch_over(struct hb__request *r, const MPI_Request *at)
{
	hb__track_lock();
	struct hb__watch *w = watch_of(r, at);
	if (unlikely(w && w->request != r)) {
		struct hb__request *other = w->request;
		const MPI_Request *variable = other->at;
		other->at = r->at;
		r->at = variable;
		if ((other->watch = r->watch))
			other->watch->request = other;
		r->watch = w;
		w->request = r;
	}
	hb__track_unlock();
	hb__requests_turn++;
	return w;
}

/* ---- making and ending ---- */

static void request_made(struct hb__call *c, struct hb__request *r)
{
	uint32_t site = hb__check_site(c);
	hb__track_lock();
	struct hb__held *h = hb__handle_get(HB__H_REQUEST, r->handle);
	struct hb__watch *w = h ? watch_new(r, h) : NULL;
	if (w) {
		struct hb__watch *before = hb__map_swap(&by_variable, (uintptr_t)r->at, w);
		if (before && !before->over_site)
			before->over_site = site;
		w->variable_again = before && before->request->handle == r->handle;
		w->fn = c->fn;
		w->site = site;
		static struct hb__making alive;
		h->made = &alive;
		h->made_site = site;
		h->made_fn = c->fn;
	}
	hb__track_unlock();
	if (!w)
		return;
	hb__partitions_made(c, w);
	hb__pending_begin(c, w);
}

static void request_started(struct hb__call *c, struct hb__request *r)
{
	hb__track_lock();
	struct hb__watch *w = watch_of(r, NULL);
	if (w) {
		w->started = true;
		if (w->unsure)
			w->held->sure = w->request;
		w->unsure = false;
		w->lane = r->lane;
		w->posting = r->posting;
	}
	hb__track_unlock();
	if (!w)
		return;
	if (w->told)
		hb__remark(c, STARTED, .req = {true, r->made_lane, (int64_t)r->made});
	w->told = false;
	hb__partitions_started(c, w);
	hb__pending_begin(c, w);
}

void hb__check_posted(struct hb__call *c, struct hb__request *r)
{
	hb__requests_turn++;
	if (c->fn->flags & HB_START)
		request_started(c, r);
	else
		request_made(c, r);
}

static void request_over(struct hb__call *c, struct hb__watch *w)
{
	struct hb__held *h = w->held;
	uint32_t site = hb__check_site(c);
	hb__track_lock();
	watch_drop(w);
	if (!watched(hb__request_first(h->value))) {
		h->made = NULL;
		h->ended_site = site;
		h->ended_fn = c->fn;
	}
	hb__track_unlock();
}

void hb__check_completed(struct hb__call *c, struct hb__request *r, const MPI_Request *at, MPI_Status *st, int error)
{
	struct hb__watch *w = watch_over(r, at);
	if (r->idup && error == MPI_SUCCESS && *r->idup != hb__known.comm_null)
		hb__handle_made(c, HB__H_COMM, (uintptr_t)*r->idup, false);
	if (!w)
		return;
	hb__pending_end(c, w, st, error);
	if (!r->persistent)
		request_over(c, w);
}

void hb__check_request_freed(struct hb__call *c, struct hb__request *r, const MPI_Request *at)
{
	struct hb__watch *w = watch_over(r, at);
	if (!w)
		return;
	hb__partitions_ended(c, w, false);
	hb__partitions_drop(w);
	hb__pending_drop(w, true);
	request_over(c, w);
}

/* ---- before a call ---- */

static bool wanted(struct hb__call *c, enum hb_remark_word word) { return hb__remark_wanted(word, hb__check_site(c)); }

static void about(struct hb__call *c, enum hb_remark_word word, const struct hb__watch *w, bool twice)
{
	const struct hb_remark_request fields = {.what = HB_WHAT_REQUEST,
		.req = {true, w->lane, (int64_t)w->posting},
		.made = w->site,
		.madefn = w->fn,
		.twice = twice};
	if (wanted(c, word))
		hb__remark_of(c, word, &fields);
}

/* Requests that may neither be freed while active nor cancelled. */
static bool collective(const struct hb__watch *w)
{
	return w->fn->cls == HB_COLLECTIVE || w->fn->cls == HB_COMM || w->fn->cls == HB_RMA ||
	       w->fn->means->does == HB_DOES_PARTITIONED;
}

static void waited(struct hb__call *c, struct hb__watch *w)
{
	if (!w->request->persistent || w->request->active || w->started || w->told || !wanted(c, HB_REMARK_UNSTARTED))
		return;
	w->told = true;
	hb__remark(c, UNSTARTED, .what = HB_WHAT_REQUEST, .req = {true, w->lane, (int64_t)w->posting}, .made = w->site,
		.madefn = w->fn);
}

static void starts(struct hb__call *c, struct hb__watch *w, uint64_t number)
{
	if (!w->request->persistent || w->request->active)
		about(c, w->request->persistent ? HB_REMARK_START_ACTIVE : HB_REMARK_START_OTHER, w, false);
	else if (w->starting == number)
		about(c, HB_REMARK_START_ACTIVE, w, true);
	w->starting = number;
}

/* number: of the call, among those that start requests */
static void one(struct hb__call *c, uintptr_t handle, const MPI_Request *at, const char *arg, uint64_t number)
{
	if ((MPI_Request)handle == hb__known.request_null)
		return;
	hb__track_lock();
	const struct hb__held *h = hb__handle_known(HB__H_REQUEST, handle);
	struct hb__request *first = h ? first_meant(handle) : NULL;
	struct hb__watch *w = first ? first->watch : NULL;
	if (w && at)
		w = hb__watch_find(handle, at);
	hb__track_unlock();
	if (h && !h->made) {
		if (wanted(c, HB_REMARK_FREED))
			hb__remark(c, FREED, .arg = arg, .what = HB_WHAT_REQUEST, .made = h->made_site,
				.madefn = h->made_fn, .freed = h->ended_site, .freedfn = h->ended_fn);
		return;
	}
	if (!w)
		return;
	if (c->fn->flags & HB_START) {
		starts(c, w, number);
	} else if (c->fn->means->does == HB_DOES_FREE_REQUEST) {
		const struct hb__request *r = w->request;
		if (r->active && (collective(w) || (r->receive && !r->cancelling)))
			about(c, collective(w) ? HB_REMARK_FREE_ACTIVE : HB_REMARK_FREE_RECEIVE, w, false);
	} else if (c->fn->means->does == HB_DOES_CANCEL) {
		if (collective(w))
			about(c, HB_REMARK_CANCEL, w, false);
		w->cancel_site = hb__check_site(c);
	} else if (c->fn->cls == HB_COMPLETE) {
		waited(c, w);
	}
}

void hb__requests_enter(struct hb__call *c)
{
	static _Atomic uint64_t starting;
	uint64_t number = c->fn->flags & HB_START ? ++starting : 0;
	int n = hb__has(c, HB_R_NREQ) ? (int)hb__arg(c, HB_R_NREQ) : 0;
	for (unsigned i = 0; i < c->fn->nargs; i++) {
		const MPI_Request *at = (const MPI_Request *)c->a[i];
		if (c->fn->param[i].kind == HB_P_REQVAL)
			one(c, c->a[i], NULL, c->fn->param[i].name, number);
		else if (c->fn->param[i].kind == HB_P_REQUEST && at)
			one(c, (uintptr_t)*at, at, c->fn->param[i].name, number);
		else if (c->fn->param[i].kind == HB_P_REQS && at)
			for (int k = 0; k < n; k++)
				one(c, (uintptr_t)at[k], &at[k], c->fn->param[i].name, number);
	}
}
