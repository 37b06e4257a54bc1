/* Requests: made, started, completed, freed. */
#include <string.h>

#include "capture/check/buffers/buffers.h"
#include "capture/check/handles/handles.h"
#include "capture/mpi/family.h"

struct hb__watch hb__watches = {.next = &hb__watches, .prev = &hb__watches};
uint32_t hb__requests_turn;

/* Libraries give one handle to all operations that are complete at once: a hundred thousand may share it. */
struct chain {
	struct hb__watch *first, *last;
	struct hb__watch *sure; /* the first that is not unsure: all from it on are not */
	struct hb__watch *kept; /* the same for those whose buffers are looked at */
	struct chain *next;     /* unused ones */
};
static struct hb__map by_handle, by_variable; /* chains; the last one posted into a variable */
static struct hb__watch *unused;
static struct chain *unused_chains;

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

static void chain_in(struct hb__watch *w)
{
	struct chain *c = hb__map_find(&by_handle, w->handle);
	if (!c) {
		c = unused_chains;
		if (c)
			unused_chains = c->next;
		else if (!(c = hb__pool(sizeof *c)))
			return;
		*c = (struct chain){.first = NULL};
		hb__map_put(&by_handle, w->handle, c);
	}
	w->chain_before = c->last;
	*(c->last ? &c->last->chain : &c->first) = w;
	c->last = w;
	c->sure = c->sure ? c->sure : w;
	c->kept = c->kept ? c->kept : w;
}

static struct hb__watch *first_of(uintptr_t handle)
{
	const struct chain *c = hb__map_find(&by_handle, handle);
	return c ? c->first : NULL;
}

static void chain_out(struct hb__watch *w)
{
	struct chain *c = hb__map_find(&by_handle, w->handle);
	if (!c)
		return;
	*(w->chain_before ? &w->chain_before->chain : &c->first) = w->chain;
	*(w->chain ? &w->chain->chain_before : &c->last) = w->chain_before;
	c->sure = c->sure == w ? w->chain : c->sure;
	c->kept = c->kept == w ? w->chain : c->kept;
	if (!c->first) {
		hb__map_remove(&by_handle, w->handle);
		c->next = unused_chains;
		unused_chains = c;
	}
}

static void watch_drop(struct hb__watch *w)
{
	chain_out(w);
	if (hb__map_find(&by_variable, (uintptr_t)w->at) == w)
		hb__map_remove(&by_variable, (uintptr_t)w->at);
	w->prev->next = w->next;
	w->next->prev = w->prev;
	w->chain = unused;
	unused = w;
}

struct hb__watch *hb__watch_find(uintptr_t handle, const MPI_Request *at)
{
	struct chain *c = hb__map_find(&by_handle, handle);
	if (!c || c->first == c->last)
		return c ? c->first : NULL;
	struct hb__watch *found = at ? hb__map_find(&by_variable, (uintptr_t)at) : NULL;
	if (found && found->handle != handle)
		found = NULL;
	if (found && !found->variable_again)
		return found;
	for (struct hb__watch *w = c->sure; w; w = w->chain)
		w->unsure = true; /* which of them it is nobody knows */
	c->sure = NULL;
	return found ? found : c->first;
}

/* ---- making and ending ---- */

static void request_made(struct hb__call *c, struct hb__request *r)
{
	const MPI_Request *at = (const MPI_Request *)hb__arg(c, HB_R_NEWREQ);
	uint32_t site = hb__check_site(c);
	hb__track_lock();
	struct hb__watch *w = watch_new(), *before = hb__map_find(&by_variable, (uintptr_t)at);
	if (w) {
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
		chain_in(w);
		hb__map_put(&by_variable, (uintptr_t)at, w);
		struct hb__held *h = hb__handle_get(HB__H_REQUEST, r->handle);
		static struct hb__making alive;
		if (h) {
			h->made = &alive;
			h->made_site = site;
			h->made_fn = c->fn->name;
		}
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
	struct hb__watch *w = hb__watch_find(r->handle, NULL);
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
		hb__remark(c, HB_REMARK_STARTED, "req=%u.%llu", r->made_lane, (unsigned long long)r->made);
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
	uintptr_t handle = w->handle;
	uint32_t site = hb__check_site(c);
	hb__track_lock();
	watch_drop(w);
	struct hb__held *h = first_of(handle) ? NULL : hb__handle_get(HB__H_REQUEST, handle);
	if (h) {
		h->made = NULL;
		h->ended_site = site;
		h->ended_fn = c->fn->name;
	}
	hb__track_unlock();
}

/* One of several with the same handle is over: their buffers are not looked at any more. */
static void forget_unsure(struct hb__watch *w)
{
	if (!w || !w->unsure)
		return;
	hb__track_lock();
	struct chain *c = hb__map_find(&by_handle, w->handle);
	for (w = c ? c->kept : NULL; w && w->unsure; w = w->chain) {
		hb__pending_drop(w, false);
		c->kept = w->chain;
	}
	hb__track_unlock();
}

void hb__check_completed(
	struct hb__call *c, struct hb__request *r, const MPI_Request *at, const MPI_Status *st, int error)
{
	hb__track_lock();
	struct hb__watch *w = hb__watch_find(r->handle, at);
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
	struct hb__watch *w = hb__watch_find(r->handle, at);
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

static void about(struct hb__call *c, enum hb_remark_word word, const struct hb__watch *w, const char *more)
{
	if (wanted(c, word))
		hb__remark(c, word, "what=request req=%u.%llu made=%u madefn=%s%s", w->lane,
			(unsigned long long)w->posting, w->site, w->fn->name, more);
}

/* Requests that may neither be freed while active nor cancelled. */
static bool collective(const struct hb__watch *w)
{
	return w->fn->cls == HB_COLLECTIVE || w->fn->cls == HB_COMM || w->fn->cls == HB_RMA ||
	       w->fn->id == HB_FN_MPI_Psend_init || w->fn->id == HB_FN_MPI_Precv_init;
}

static void waited(struct hb__call *c, struct hb__watch *w)
{
	if (!w->persistent || w->active || w->started || w->told || !wanted(c, HB_REMARK_UNSTARTED))
		return;
	w->told = true;
	hb__remark(c, HB_REMARK_UNSTARTED, "what=request req=%u.%llu made=%u madefn=%s", w->lane,
		(unsigned long long)w->posting, w->site, w->fn->name);
}

static void starts(struct hb__call *c, struct hb__watch *w, uint64_t number)
{
	if (!w->persistent || w->active)
		about(c, w->persistent ? HB_REMARK_START_ACTIVE : HB_REMARK_START_OTHER, w, "");
	else if (w->starting == number)
		about(c, HB_REMARK_START_ACTIVE, w, " twice=1");
	w->starting = number;
}

/* number: of the call, among those that start requests */
static void one(struct hb__call *c, uintptr_t handle, const MPI_Request *at, const char *arg, uint64_t number)
{
	if ((MPI_Request)handle == hb__known.request_null)
		return;
	const struct hb__held *h = hb__handle_find(HB__H_REQUEST, handle);
	if (h && !h->made) {
		if (wanted(c, HB_REMARK_FREED))
			hb__remark(c, HB_REMARK_FREED, "arg=%s what=request made=%u madefn=%s freed=%u freedfn=%s", arg,
				h->made_site, h->made_fn, h->ended_site, h->ended_fn);
		return;
	}
	hb__track_lock();
	struct hb__watch *w = first_of(handle);
	if (w && w->chain && at)
		w = hb__watch_find(handle, at);
	hb__track_unlock();
	if (!w)
		return;
	if (c->fn->flags & HB_START) {
		starts(c, w, number);
	} else if (c->fn->id == HB_FN_MPI_Request_free) {
		if (w->active && (collective(w) || (w->receive && !w->cancelled)))
			about(c, collective(w) ? HB_REMARK_FREE_ACTIVE : HB_REMARK_FREE_RECEIVE, w, "");
	} else if (c->fn->id == HB_FN_MPI_Cancel) {
		if (collective(w))
			about(c, HB_REMARK_CANCEL, w, "");
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
