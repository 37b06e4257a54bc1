/* From remarks to windows and accesses: when each began, what completed it, which bytes of whom it touched. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/onesided/onesided.h"

#define PIECES 1024 /* of one access; with more it is left out */

struct hb__window_part *hb__part_of(struct hb__onesided *o, uint32_t process, int64_t number)
{
	if (number < 0 || number >= o->nparts[process] || !o->part[process][number].known)
		return NULL;
	return &o->part[process][number];
}

/* The same window at another process. */
static struct hb__window_part *part_at(struct hb__onesided *o, uint32_t process, uint32_t id)
{
	for (uint32_t i = 0; i < o->nparts[process]; i++)
		if (o->part[process][i].known && o->part[process][i].id == id)
			return &o->part[process][i];
	return NULL;
}

/* ---- windows ---- */

static void on_window(struct hb__onesided *o, const hb_remark *r)
{
	int64_t number = r->window->win;
	uint32_t p = r->process;
	if (number < 0 || number > 1 << 20)
		return;
	if ((uint64_t)number >= o->nparts[p]) {
		uint32_t n = (uint32_t)number + 8;
		struct hb__window_part *more = realloc(o->part[p], n * sizeof *more);
		if (!more) {
			o->no_memory = true;
			return;
		}
		memset(more + o->nparts[p], 0, (n - o->nparts[p]) * sizeof *more);
		o->part[p] = more;
		o->nparts[p] = n;
	}
	uint32_t id = hb_collective_at(o->c->model, r->at);
	o->part[p][number] = (struct hb__window_part){.id = id,
		.group = id == HB_NO ? HB_NO : hb_model_collectives(o->c->model)[id].group,
		.base = r->window->base,
		.size = r->window->size,
		.rank = r->window->rank,
		.unit = r->window->unit,
		.known = true,
		.began = {HB_NO, 0},
		.dynamic = r->window->make == HB_ALLOCATION_DYNAMIC};
}

/* ---- accesses ---- */

static bool piece(struct hb__onesided *o, struct hb__window_access *a, int64_t from, int64_t length)
{
	if (!HB_GROW(o->pool, o->pool_room, o->npool + 1)) {
		o->no_memory = true;
		return false;
	}
	o->pool[o->npool++] = (struct hb__span){from, from + length};
	return ++a->nbytes < PIECES;
}

/* Runs of the remark, from an address on. */
static void pieces(struct hb__onesided *o, struct hb__window_access *a, hb_numbers runs, int64_t base)
{
	a->bytes = (uint32_t)o->npool;
	for (uint32_t i = 0; i + 4 <= runs.n; i += 4) {
		const int64_t *run = &runs.at[i]; /* offset, length, count, stride */
		for (int64_t k = 0; run[1] > 0 && k < run[2]; k++)
			if (!piece(o, a, base + run[0] + k * run[3], run[1])) {
				a->inexact = true;
				return;
			}
	}
}

static struct hb__window_access *new_access(struct hb__onesided *o, const hb_remark *r, int64_t seq, int64_t window)
{
	if (!HB_GROW(o->access, o->room, o->naccesses + 1)) {
		o->no_memory = true;
		return NULL;
	}
	struct hb__window_access *a = &o->access[o->naccesses++];
	*a = (struct hb__window_access){.remark = (size_t)(r - o->c->remarks->at),
		.told = (size_t)(r - o->c->remarks->at),
		.process = r->process,
		.line = r->at.line,
		.start = r->at.event,
		.operation = -1,
		.post = {HB_NO, 0},
		.seq = (uint64_t)seq,
		.number = window,
		.target = HB_NO};
	return a;
}

static void describe(struct hb__window_access *a, const struct hb_remark_rma *r)
{
	a->get = r->op == HB_ACCESS_GET;
	a->swap = r->op == HB_ACCESS_CAS;
	a->fetches = a->get || a->swap || r->op == HB_ACCESS_GACC || r->op == HB_ACCESS_FAO;
	a->touching = a->get ? HB__READS : r->op == HB_ACCESS_PUT ? HB__WRITES : HB__ACCUMULATES;
	a->operation = (int32_t)r->aop;
	a->type = (int32_t)r->type;
	a->exclusive = r->x;
	a->locked = r->ep == HB_EPOCH_LOCK || r->ep == HB_EPOCH_ALL;
	a->passive = a->locked;
	a->pscw = r->ep == HB_EPOCH_PSCW;
	a->fenced = r->ep == HB_EPOCH_FENCE;
	a->inexact = r->inexact;
}

/* What an access is, and where: of one that is like another, r is the remark about that one. */
struct what {
	const hb_remark *r;
	int64_t disp, rank;
	uint64_t seq;
};

static hb_status outside(struct hb__onesided *o, const struct what *w, const struct hb__window_part *there,
	const struct hb__window_access *a)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	for (uint32_t i = 0; i < a->nbytes; i++) {
		const struct hb__span *b = &o->pool[a->bytes + i];
		from = b->from < from ? b->from : from;
		to = b->to > to ? b->to : to;
	}
	if (!a->nbytes || a->inexact || (from >= there->base && to <= there->base + there->size))
		return HB_OK;
	const hb_remark *r = w->r;
	if (w->disp < 0)
		return HB_OK; /* told already */
	hb_point point = hb__point_of_call(r);
	char named[HB__NAMED];
	return hb__finding(o->c, HB_RMA_RANGE, false,
		"Check the displacement (it is counted in the target's displacement unit) and the count.", &point, 1,
		o->err, "%s of rank %s touches bytes %lld to %lld of the window%s of rank %s, which has %lld bytes",
		point.function, hb_model_processes(o->c->model)[r->process].name, (long long)(from - there->base),
		(long long)(to - there->base - 1), hb__window_named(o->c, r->process, r->rma->win, named),
		hb_model_processes(o->c->model)[a->target].name, (long long)there->size);
}

/* The call of the target before which the access does not touch its memory. */
static hb_at exposed(
	const struct hb__onesided *o, const struct hb__window_part *here, const struct hb__window_access *a)
{
	uint32_t fence = a->fenced ? hb_collective_at(o->c->model, here->began) : HB_NO;
	if (a->pscw)
		return hb_window_post(o->c->model, here->began, a->target);
	return fence == HB_NO ? (hb_at){HB_NO, 0} : hb_collective_enter(o->c->model, fence, a->target);
}

/* own: its remark. */
static hb_status on_access(struct hb__onesided *o, const hb_remark *own, const struct what *w)
{
	const hb_remark *r = w->r;
	int64_t rank = w->rank;
	struct hb__window_part *here = hb__part_of(o, r->process, r->rma->win);
	if (!here || here->id == HB_NO || own->at.line == HB_NO)
		return HB_OK;
	const hb_group *g = &hb_model_groups(o->c->model)[here->group];
	if (rank < 0 || rank >= g->size || g->member[rank] == HB_NO)
		return HB_OK;
	struct hb__window_part *there = part_at(o, g->member[rank], here->id);
	struct hb__window_access *a = there ? new_access(o, own, (int64_t)w->seq, r->rma->win) : NULL;
	if (!a)
		return HB_OK;
	describe(a, r->rma);
	a->told = (size_t)(r - o->c->remarks->at);
	a->window = here->id;
	a->target = g->member[rank];
	a->post = exposed(o, here, a);
	pieces(o, a, r->rma->runs, there->dynamic ? w->disp : there->base + w->disp * there->unit);
	return there->dynamic ? HB_OK : outside(o, w, there, a);
}

/* Accesses of a thread, by the number that others name them by. */
#define ALIKE 8
struct likes {
	uint32_t process, line;
	uint64_t seq; /* of the last one */
	struct what at[ALIKE];
};

static hb_status on_first(struct hb__onesided *o, struct likes *l, const hb_remark *r)
{
	struct what w = {r, r->rma->disp, r->rma->target, (uint64_t)r->rma->seq};
	int64_t k = r->rma->k;
	if (l->process != r->process || l->line != r->at.line)
		*l = (struct likes){.process = r->process, .line = r->at.line};
	l->seq = w.seq;
	if (k >= 0 && k < ALIKE)
		l->at[k] = w;
	return on_access(o, r, &w);
}

static hb_status on_more(struct hb__onesided *o, struct likes *l, const hb_remark *r)
{
	int64_t k = r->rma_more->k;
	struct what *w = k >= 0 && k < ALIKE ? &l->at[k] : NULL;
	if (!w || !w->r || l->process != r->process || l->line != r->at.line)
		return HB_OK; /* what it is like was lost */
	w->disp = (int64_t)((uint64_t)w->disp + (uint64_t)r->rma_more->d);
	w->rank = r->rma_more->t == HB_REMARK_UNTOLD ? w->rank : r->rma_more->t;
	w->seq = ++l->seq;
	return on_access(o, r, w);
}

/* The process itself uses memory of the window. */
static void on_touch(struct hb__onesided *o, const hb_remark *r)
{
	struct hb__window_part *here = hb__part_of(o, r->process, r->touch->win);
	struct hb__window_access *a = here && here->id != HB_NO && r->at.line != HB_NO
					      ? new_access(o, r, r->touch->seq, r->touch->win)
					      : NULL;
	if (!a)
		return;
	a->local = true;
	a->locked = r->touch->lock != HB_HELD_NOT;
	a->exclusive = r->touch->lock == HB_HELD_EXCLUSIVE;
	a->window = here->id;
	a->target = r->process;
	a->touching = r->touch->write ? HB__WRITES : HB__READS;
	int64_t at = (here->dynamic ? 0 : here->base) + r->touch->off;
	a->bytes = (uint32_t)o->npool;
	piece(o, a, at, r->touch->len);
	if (a->seq)
		return;
	a->done_line = r->at.line;
	a->done = r->at.event;
	a->done_exit = true;
}

/* The store that this load belongs to: both watches see a store. */
static bool same_store(const hb_remark *load, const hb_remark *other)
{
	return other->word == HB_REMARK_TOUCHED && other->process == load->process && other->at.line == load->at.line &&
	       other->at.event == load->at.event && other->touch->write && other->touch->win == load->touch->win &&
	       other->touch->by == load->touch->by;
}

/* The program itself used memory of the window, between two calls. */
static void on_own(struct hb__onesided *o, const hb_remark *r)
{
	const hb_remarks *all = o->c->remarks;
	size_t i = (size_t)(r - all->at);
	if (r->touch->win < 0)
		return;
	bool write = r->touch->write || r->word == HB_REMARK_CHANGED;
	for (size_t k = i < 3 ? 0 : i - 3; !write && k < all->n && k < i + 4; k++)
		if (same_store(r, &all->at[k]))
			return;
	if (!write && hb_meaning_of(r->call->fn, HB_RMA)->does == HB_DOES_WINDOW_SYNC)
		return; /* it looks until something has come */
	size_t before = o->naccesses;
	on_touch(o, r);
	if (o->naccesses == before)
		return;
	struct hb__window_access *a = &o->access[before];
	const struct hb__window_part *part = hb__part_of(o, r->process, a->number);
	a->done_exit = false;
	a->locked = part->locked || part->all_locked;
	a->exclusive = part->exclusive;
}

/* What has changed was stored by the process itself, if no access of anybody writes there. */
static void on_changed(struct hb__onesided *o, const hb_remark *r)
{
	size_t before = o->naccesses;
	on_own(o, r);
	if (o->naccesses == before)
		return;
	o->access[before].touching = HB__WRITES;
	o->access[before].deduced = true;
}

/* ---- completion ---- */

struct sync {
	enum hb_sync kind;
	int64_t win, rank;
	hb_at at;
};

struct open { /* accesses of a process that nothing has completed yet */
	size_t *at, n, room;
	struct likes likes;
};

static bool completes(const struct hb__onesided *o, const struct sync *s, const struct hb__window_access *a)
{
	if (a->number != s->win)
		return false;
	if (s->kind == HB_SYNC_FENCE || s->kind == HB_SYNC_FREE)
		return true;
	if (s->kind == HB_SYNC_COMPLETE)
		return a->pscw || a->local;
	bool local = s->kind == HB_SYNC_FLUSH_LOCAL || s->kind == HB_SYNC_FLUSH_LOCAL_ALL;
	if (local && !a->fetches && !a->local)
		return false;
	if (s->rank < 0)
		return true;
	const hb_group *g = &hb_model_groups(o->c->model)[o->part[a->process][a->number].group];
	return a->local || (s->rank < g->size && g->member[s->rank] == a->target);
}

static void synced(struct hb__onesided *o, struct open *open, const struct sync *s)
{
	size_t kept = 0;
	bool exit = s->kind != HB_SYNC_FENCE && s->kind != HB_SYNC_COMPLETE && s->kind != HB_SYNC_FREE;
	for (size_t i = 0; i < open->n; i++) {
		struct hb__window_access *a = &o->access[open->at[i]];
		if (!completes(o, s, a)) {
			open->at[kept++] = open->at[i];
			continue;
		}
		a->done_line = s->at.line;
		a->done = s->at.event;
		a->done_exit = exit;
	}
	open->n = kept;
}

static void request_done(struct hb__onesided *o, struct open *open, const hb_remark *r)
{
	uint64_t seq = (uint64_t)r->rmadone->seq;
	size_t kept = 0;
	for (size_t i = 0; i < open->n; i++) {
		struct hb__window_access *a = &o->access[open->at[i]];
		if (a->seq != seq || !(a->fetches || a->local)) {
			open->at[kept++] = open->at[i];
			continue;
		}
		a->done_line = r->at.line;
		a->done = r->at.event;
		a->done_exit = true;
	}
	open->n = kept;
}

/* Whether the process has locked its own memory. */
static void on_lock(struct hb__onesided *o, const hb_remark *r, const struct sync *s)
{
	struct hb__window_part *part = hb__part_of(o, r->process, s->win);
	if (!part)
		return;
	if (s->kind == HB_SYNC_LOCK_ALL || s->kind == HB_SYNC_UNLOCK_ALL)
		part->all_locked = s->kind == HB_SYNC_LOCK_ALL;
	if (s->rank != part->rank || (s->kind != HB_SYNC_LOCK && s->kind != HB_SYNC_UNLOCK))
		return;
	part->locked = s->kind == HB_SYNC_LOCK;
	part->exclusive = part->locked && r->winsync->x;
}

static void on_sync(struct hb__onesided *o, struct open *open, const hb_remark *r)
{
	struct sync s = {r->winsync->kind, r->winsync->win, r->winsync->rank, r->at};
	on_lock(o, r, &s);
	struct hb__window_part *part = hb__part_of(o, r->process, s.win);
	if (part && (s.kind == HB_SYNC_START || s.kind == HB_SYNC_FENCE))
		part->began = r->at;
	switch (s.kind) {
	case HB_SYNC_NONE:
	case HB_SYNC_START:
	case HB_SYNC_POST:
	case HB_SYNC_WAIT:
	case HB_SYNC_LOCK:
	case HB_SYNC_LOCK_ALL:
		return;
	default:
		synced(o, open, &s);
	}
}

static hb_status each(struct hb__onesided *o, struct open *open, const hb_remark *r)
{
	hb_status status = HB_OK;
	size_t before = o->naccesses;
	if (r->word == HB_REMARK_RMA)
		status = on_first(o, &open->likes, r);
	else if (r->word == HB_REMARK_RMA_MORE)
		status = on_more(o, &open->likes, r);
	else if (r->word == HB_REMARK_TOUCH)
		on_touch(o, r);
	else if (r->word == HB_REMARK_TOUCHED)
		on_own(o, r);
	else if (r->word == HB_REMARK_CHANGED)
		on_changed(o, r);
	else if (r->word == HB_REMARK_WINSYNC)
		on_sync(o, open, r);
	else if (r->word == HB_REMARK_RMADONE)
		request_done(o, open, r);
	if (o->naccesses > before && !o->access[before].done) {
		if (HB_GROW(open->at, open->room, open->n + 1))
			open->at[open->n++] = before;
		else
			o->no_memory = true;
	}
	return status;
}

#define BUDGET 100000000ull /* comparisons */

static bool meet(const struct hb__onesided *o, const struct hb__window_access *a, const struct hb__window_access *b)
{
	const struct hb__span *x = &o->pool[a->bytes];
	for (uint32_t i = 0; i < b->nbytes; i++) {
		const struct hb__span *y = &o->pool[b->bytes + i];
		if (x->from < y->to && y->from < x->to)
			return true;
	}
	return false;
}

/* A change may be what an access of some process wrote; also of one that is not known. */
static void drop_unsure(struct hb__onesided *o)
{
	uint64_t budget = BUDGET;
	for (size_t i = 0; i < o->naccesses; i++) {
		struct hb__window_access *a = &o->access[i];
		bool sure = o->c->complete || !a->deduced;
		for (size_t k = 0; a->deduced && sure && k < o->naccesses; k++) {
			const struct hb__window_access *b = &o->access[k];
			if (b->target != a->target || b->local || b->touching == HB__READS)
				continue;
			sure = budget > b->nbytes && !b->inexact && !meet(o, a, b);
			budget -= sure ? b->nbytes + 1 : 0;
		}
		if (!sure)
			a->inexact = true; /* it conflicts with nothing */
	}
}

hb_status hb__onesided_gather(struct hb__onesided *o)
{
	const hb_remarks *all = o->c->remarks;
	struct open open = {0};
	hb_status status = HB_OK;
	for (size_t i = 0; i < all->n && !status; i++)
		if (all->at[i].word == HB_REMARK_WINDOW)
			on_window(o, &all->at[i]);
	uint32_t process = HB_NO;
	for (size_t i = 0; i < all->n && !status; i++) {
		if (all->at[i].process != process)
			open.n = 0;
		process = all->at[i].process;
		status = each(o, &open, &all->at[i]);
	}
	if (!status)
		drop_unsure(o);
	free(open.at);
	return status;
}
