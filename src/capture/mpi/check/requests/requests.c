/* Requests: made, started, completed, freed. */
#include <string.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/mpi/check/handles/handles.h"
#include "capture/mpi/family/family.h"

struct hb__watch hb__watches = {.next = &hb__watches, .prev = &hb__watches};
uint32_t hb__requests_turn;

static struct hb__map by_variable; /* the last one posted into a variable */
static struct hb__watch *unused;

/* ---- the list; under the lock ---- */

static struct hb__watch *watch_new(void)
{
	struct hb__watch *w = unused;
	if (w)
		unused = w->chain;
	else
		w = hb__pool(sizeof *w);
	if (!w)
		return NULL;
	*w = (struct hb__watch){.next = &hb__watches, .prev = hb__watches.prev};
	w->prev->next = w;
	hb__watches.prev = w;
	return w;
}

static void chain_in(struct hb__held *h, struct hb__watch *w)
{
	w->held = h;
	w->chain_before = h->last;
	*(h->last ? &h->last->chain : &h->first) = w;
	h->last = w;
	h->sure = h->sure ? h->sure : w;
	h->kept = h->kept ? h->kept : w;
}

static void chain_out(struct hb__watch *w)
{
	struct hb__held *h = w->held;
	*(w->chain_before ? &w->chain_before->chain : &h->first) = w->chain;
	*(w->chain ? &w->chain->chain_before : &h->last) = w->chain_before;
	h->sure = h->sure == w ? w->chain : h->sure;
	h->kept = h->kept == w ? w->chain : h->kept;
}

static void watch_drop(struct hb__watch *w)
{
	chain_out(w);
	hb__map_remove_if(&by_variable, (uintptr_t)w->at, w);
	w->prev->next = w->next;
	w->next->prev = w->prev;
	w->chain = unused;
	unused = w;
}

struct hb__watch *hb__watch_find(uintptr_t handle, const MPI_Request *at)
{
	struct hb__held *h = hb__handle_known(HB__H_REQUEST, handle);
	if (!h || h->first == h->last)
		return h ? h->first : NULL;
	struct hb__watch *found = at ? hb__map_find(&by_variable, (uintptr_t)at) : NULL;
	if (found && found->handle != handle)
		found = NULL;
	if (found && !found->variable_again)
		return found;
	for (struct hb__watch *w = h->sure; w; w = w->chain)
		w->unsure = true; /* which of them it is nobody knows */
	h->sure = NULL;
	return found ? found : h->first;
}

/* The same, without a look into the table where the request has its handle for itself. */
static inline struct hb__watch *watch_of(const struct hb__request *r, const MPI_Request *at)
{
	struct hb__watch *w = r->watch;
	bool alone = w && w->handle == r->handle && w->held->first == w && w->held->last == w;
	return likely(alone) ? w : hb__watch_find(r->handle, at);
}

/* ---- making and ending ---- */

static void request_made(struct hb__call *c, struct hb__request *r)
{
	const MPI_Request *at = (const MPI_Request *)hb__arg(c, HB_R_NEWREQ);
	uint32_t site = hb__check_site(c);
	hb__track_lock();
	struct hb__held *h = hb__handle_get(HB__H_REQUEST, r->handle);
	struct hb__watch *w = h ? watch_new() : NULL;
	if (w) {
		struct hb__watch *before = hb__map_swap(&by_variable, (uintptr_t)at, w);
		if (before && !before->over_site)
			before->over_site = site;
		w->variable_again = before && before->handle == r->handle;
		w->handle = r->handle;
		w->at = at;
		w->fn = c->fn;
		w->site = site;
		w->lane = r->lane;
		w->posting = r->posting;
		w->persistent = c->fn->flags & HB_PERSISTENT;
		w->active = !w->persistent;
		w->receive = c->fn->cls == HB_RECV;
		r->watch = w;
		chain_in(h, w);
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
		w->active = w->started = true;
		w->unsure = w->cancelled = false;
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
	if (!h->first) {
		h->made = NULL;
		h->ended_site = site;
		h->ended_fn = c->fn;
	}
	hb__track_unlock();
}

/* One of several with the same handle is over: their buffers are not looked at any more. */
static void forget_unsure(struct hb__watch *w)
{
	if (!w || !w->unsure)
		return;
	hb__track_lock();
	struct hb__held *h = w->held;
	for (w = h->kept; w && w->unsure; w = w->chain) {
		hb__pending_drop(w, false);
		h->kept = w->chain;
	}
	hb__track_unlock();
}

void hb__check_completed(struct hb__call *c, struct hb__request *r, const MPI_Request *at, MPI_Status *st, int error)
{
	hb__track_lock();
	struct hb__watch *w = watch_of(r, at);
	hb__track_unlock();
	hb__requests_turn++;
	forget_unsure(w);
	if (r->idup && error == MPI_SUCCESS && *r->idup != hb__known.comm_null)
		hb__handle_made(c, HB__H_COMM, (uintptr_t)*r->idup, false);
	if (!w)
		return;
	hb__pending_end(c, w, r, st, error);
	if (w->persistent)
		w->active = false;
	else
		request_over(c, w);
}

void hb__check_request_freed(struct hb__call *c, struct hb__request *r, const MPI_Request *at)
{
	hb__track_lock();
	struct hb__watch *w = watch_of(r, at);
	hb__track_unlock();
	hb__requests_turn++;
	if (!w)
		return;
	forget_unsure(w);
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
	if (!w->persistent || w->active || w->started || w->told || !wanted(c, HB_REMARK_UNSTARTED))
		return;
	w->told = true;
	hb__remark(c, UNSTARTED, .what = HB_WHAT_REQUEST, .req = {true, w->lane, (int64_t)w->posting}, .made = w->site,
		.madefn = w->fn);
}

static void starts(struct hb__call *c, struct hb__watch *w, uint64_t number)
{
	if (!w->persistent || w->active)
		about(c, w->persistent ? HB_REMARK_START_ACTIVE : HB_REMARK_START_OTHER, w, false);
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
	struct hb__watch *w = h ? h->first : NULL;
	if (w && w->chain && at)
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
		if (w->active && (collective(w) || (w->receive && !w->cancelled)))
			about(c, collective(w) ? HB_REMARK_FREE_ACTIVE : HB_REMARK_FREE_RECEIVE, w, false);
	} else if (c->fn->means->does == HB_DOES_CANCEL) {
		if (collective(w))
			about(c, HB_REMARK_CANCEL, w, false);
		w->cancelled = true; /* freeing it now is one way to complete it */
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
