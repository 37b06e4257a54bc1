/* The buffers of requests: known from the call that made them, watched while they are active. */
#include <string.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/mpi/family/family.h"
#include "capture/core/record/clock.h"

#define LONG 8192 /* bytes of a buffer whose digest is worth counting */

static struct hb__pending *unused;
static struct hb__piece *unused_pieces[10]; /* by the power of two that they have room for; the first one links */

/* ---- memory; under the lock ---- */

static unsigned size_class(uint32_t n)
{
	unsigned k = 0;
	while (1u << k < n)
		k++;
	return k;
}

static struct hb__piece *pieces_new(uint32_t n)
{
	unsigned k = size_class(n);
	struct hb__piece *p = unused_pieces[k];
	if (p)
		unused_pieces[k] = (struct hb__piece *)p->low;
	else
		p = hb__pool(sizeof *p << k);
	return p;
}

static void pieces_drop(struct hb__piece *p, uint32_t n)
{
	unsigned k = size_class(n);
	p->low = (uintptr_t)unused_pieces[k];
	unused_pieces[k] = p;
}

/* What was put together before the call is not put together again. */
static unsigned regions_of(
	struct hb__call *c, const struct hb__slot *known, struct hb__region *ret, struct hb__piece *piece)
{
	if (unlikely(!known))
		return hb__regions(c, ret);
	enum hb_role buffer = c->fn->cls == HB_SEND ? HB_R_SBUF : HB_R_RBUF;
	*piece = (struct hb__piece){known->memory_of, known->memory_of + known->memory_bytes};
	*ret = (struct hb__region){.arg = c->fn->param[hb__role(c, buffer)].name,
		.writes = c->fn->cls == HB_RECV,
		.known = true,
		.n = 1,
		.piece = piece};
	return known->memory_bytes != 0;
}

/* Copies what the call's arguments name. */
static struct hb__pending *pending_new(struct hb__call *c, const struct hb__slot *known, struct hb__watch *w)
{
	struct hb__region region[HB__REGIONS];
	struct hb__piece piece;
	unsigned regions = regions_of(c, known, region, &piece);
	if (!regions)
		return NULL;
	struct hb__pending *p = unused ? unused : hb__pool(sizeof *p);
	if (!p)
		return NULL;
	if (p == unused)
		unused = p->next;
	p->watch = w; /* the rest is filled in when it begins */
	p->regions = 0;
	p->active = p->digested = p->held = false;
	for (unsigned i = 0; i < regions; i++) {
		struct hb__region *r = &p->region[p->regions];
		*r = region[i];
		if (!(r->piece = r->n == 1 ? &p->one[p->regions] : pieces_new(r->n)))
			continue;
		memcpy(r->piece, region[i].piece, r->n * sizeof *r->piece);
		p->regions++;
	}
	return p;
}

void hb__pending_drop(struct hb__watch *w, bool forget)
{
	hb__guard_end(w);
	hb__track_lock();
	struct hb__pending *p = w->pending;
	if (p && p->active) {
		hb__index_remove(p);
		hb__between_end(p);
		p->active = p->digested = false;
	}
	if (p && forget) {
		w->pending = NULL;
		for (uint32_t i = 0; i < p->regions; i++)
			if (p->region[i].n > 1)
				pieces_drop(p->region[i].piece, p->region[i].n);
		p->next = unused;
		unused = p;
	}
	hb__track_unlock();
}

/* ---- overlap ---- */

/* region: of this call, before it is pending itself. */
static void conflict(struct hb__call *c, const struct hb__region *r, const struct hb__watch *own)
{
	uintptr_t low, high;
	hb__track_lock();
	struct hb__pending *p = hb__index_conflict(r, &low, &high);
	if (likely(!p)) {
		hb__track_unlock();
		return;
	}
	const void *watched = p->watch;
	struct hb__watch other = *p->watch;
	hb__track_unlock();
	hb__guard_end(watched); /* what is told need not be watched */
	if (!hb__remark_wanted(HB_REMARK_OVERLAP, hb__check_site(c)))
		return;
	hb_request_name req = {0};
	if (own)
		req = (hb_request_name){true, own->lane, (int64_t)own->posting};
	bool writes = p->region[0].writes || (p->regions > 1 && p->region[1].writes);
	hb__remark(c, OVERLAP, .arg = r->arg, .writes = r->writes, .bytes = (int64_t)(high - low),
		.other = {true, other.lane, (int64_t)other.posting}, .made = other.site, .madefn = other.fn,
		.otherwrites = writes, .req = req);
}

static const uint64_t nothing; /* that a call without a buffer depends on */

static void look_at_memory(struct hb__call *c, const struct hb__region *r)
{
	struct hb__block block;
	bool one = c->slot && r->n == 1 && r->piece[0].low == hb__arg(c, r->writes ? HB_R_RBUF : HB_R_SBUF);
	if (!one)
		hb__memory_of_region(c, r);
	else if (!hb__memory_of_piece(c, r, &block) && block.turn)
		hb__check_memory_seen(c, r->piece[0].high - r->piece[0].low, block);
}

void hb__check_buffers_enter(struct hb__call *c)
{
	hb__partitions_enter(c);
	hb__settled_enter(c);
}

void hb__settled_enter(struct hb__call *c)
{
	if (c->fn->cls == HB_COMPLETE && c->settled)
		hb__partitions_enter(c);
	if (!c->lane->nested)
		hb__between_enter(c);
	hb__mapped_forget();
	if (c->fn->flags & HB_PERSISTENT) /* its memory has to be there when it is started */
		return;
	struct hb__region region[HB__REGIONS];
	unsigned n = hb__regions(c, region);
	bool alone = !hb__attention.pieces || c->fn->flags & HB_NONBLOCKING;
	for (unsigned i = 0; i < n; i++) {
		look_at_memory(c, &region[i]);
		if (!alone)
			conflict(c, &region[i], NULL);
	}
	if (!n)
		hb__check_memory_seen(c, 0, (struct hb__block){.turn = &nothing});
}

/* ---- begin and end ---- */

static void guard(const struct hb__call *c, struct hb__watch *w, const struct hb__pending *p)
{
	if (!hb__guard_wanted(c))
		return;
	for (uint32_t i = 0; i < p->regions; i++) {
		const struct hb__region *r = &p->region[i];
		const struct hb_remark_touch owner = hb__request_owner(w, r->writes);
		hb__guard_begin(
			w, (const void *)r->piece[0].low, r->piece[0].high - r->piece[0].low, r->writes, &owner);
	}
}

/* What is sent lies in one block, that of the first region. */
static bool in_block(const struct hb__pending *p)
{
	const struct hb__region *r = &p->region[0];
	return p->block[0].turn && r->n == 1 && r->piece[0].low >= p->block[0].start &&
	       r->piece[0].high <= p->block[0].end;
}

/* A long buffer is digested as far as the credit goes, the first ones of a call site in any case. */
static void digest_sent(const struct hb__call *c, struct hb__pending *p)
{
	static uint32_t seen[256], turns; /* by call site */
	const struct hb__region *r = &p->region[0];
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < r->n; i++)
		bytes += r->piece[i].high - r->piece[i].low;
	bool is_long = bytes > LONG;
	if (is_long && !hb__credit(c, &seen[p->watch->site % 256]))
		p->turn = ++turns | 1;
	uint64_t begin = is_long && !p->turn ? hb__count() : 0;
	p->digested = hb__region_digest(r, p->turn, in_block(p), &p->digest);
	if (begin)
		hb__credit_used(2 * (hb__count() - begin)); /* once more at the end */
}

void hb__pending_begin(struct hb__call *c, struct hb__watch *w)
{
	const struct hb__slot *known = hb__check_memory_known(c);
	hb__track_lock();
	if (!w->pending && !(c->fn->flags & HB_START))
		w->pending = pending_new(c, known, w);
	struct hb__pending *p = w->pending;
	hb__track_unlock();
	if (!p || !w->request->active)
		return;
	if (p->active) /* started again: an error that is told; its buffer is not another one's */
		hb__pending_drop(w, false);
	for (uint32_t i = 0; i < p->regions; i++) {
		conflict(c, &p->region[i], w);
		if (c->fn->flags & HB_START)
			hb__memory_of_region(c, &p->region[i]);
		p->block[i] = known ? known->memory : hb__block_of(p->region[i].piece[0].low);
	}
	p->digested = false;
	p->turn = 0;
	if (!p->region[0].writes)
		digest_sent(c, p);
	hb__track_lock();
	p->active = true;
	for (uint32_t i = 0; i < p->regions; i++)
		hb__index_add(p, &p->region[i]);
	hb__between_begin(c, p);
	hb__track_unlock();
	guard(c, w, p);
}

/* Its memory went back to malloc before it was complete. */
static bool ended(struct hb__call *c, const struct hb__watch *w, const struct hb__pending *p)
{
	for (uint32_t i = 0; i < p->regions; i++) {
		uint32_t made, end;
		if (!hb__block_ended(p->block[i], &made, &end))
			continue;
		if (hb__remark_wanted(HB_REMARK_BUFFER_FREED, w->site))
			hb__remark(c, BUFFER_FREED, .pending = true, .writes = p->region[i].writes,
				.arg = p->region[i].arg, .req = {true, w->lane, (int64_t)w->posting}, .given = w->site,
				.givenfn = w->fn, .made = made, .ended = end);
		return true;
	}
	return false;
}

void hb__pending_end(struct hb__call *c, struct hb__watch *w, const MPI_Status *st, int error)
{
	struct hb__pending *p = w->pending;
	bool done = p && p->active && !w->unsure && error == MPI_SUCCESS && !(st && hb__status_cancelled(st));
	if (done && !ended(c, w, p) && p->digested) {
		uint64_t digest = 0;
		bool mapped = hb__region_digest(&p->region[0], p->turn, in_block(p), &digest);
		if ((!mapped || digest != p->digest) && hb__remark_wanted(HB_REMARK_WRITTEN, w->site))
			hb__remark(c, WRITTEN, .req = {true, w->lane, (int64_t)w->posting}, .made = w->site,
				.madefn = w->fn, .arg = p->region[0].arg, .mapped = mapped);
	}
	hb__partitions_ended(c, w, error == MPI_SUCCESS && !w->unsure && !(st && hb__status_cancelled(st)));
	hb__pending_drop(w, !w->request->persistent);
}

void hb__check_seen(uintptr_t request)
{
	hb__track_lock();
	struct hb__watch *w = hb__watch_find(request, NULL);
	hb__track_unlock();
	if (w)
		hb__pending_drop(w, false);
}

void hb__check_buffers_leave(struct hb__call *c, int code)
{
	hb__partitions_leave(c, code);
	hb__settled_leave(c);
}

void hb__settled_leave(struct hb__call *c)
{
	if (!c->lane->nested)
		hb__between_leave();
	hb__mapped_forget();
}
