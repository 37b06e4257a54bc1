/* What an event that is given up means for the matching of those that stay: as src/model/match/read.c has it, in small. */
#include <string.h>

#include "capture/core/ring/ring.h"

#define TRUNCATE 15 /* error classes, as hbdb-recording(5) has them */
#define PENDING 18

/* Places of arguments among those recorded, -1: none. */
struct places {
	bool known;
	int8_t dest, source, tag, source_tag, comm, count;
};
static struct places places[HB_FUNCTIONS_MOST];

static int8_t place(const struct hb__fn *fn, enum hb_role role)
{
	for (unsigned i = 0; i < fn->nrecorded; i++)
		if (fn->role[role] && fn->recorded[i].arg == fn->role[role] - 1)
			return (int8_t)i;
	return -1;
}

static const struct places *places_of(const struct hb__fn *fn)
{
	struct places *p = &places[fn->id];
	if (!p->known)
		*p = (struct places){true, place(fn, HB_R_DEST), place(fn, HB_R_SOURCE), place(fn, HB_R_TAG),
			place(fn, HB_R_LAST_TAG), place(fn, HB_R_COMM), place(fn, HB_R_NREQ)};
	return p;
}

static int64_t argument(const int64_t *arg, unsigned nargs, int8_t at)
{
	return at >= 0 && (unsigned)at < nargs ? arg[at] : -1;
}

static int64_t take(struct hb__past_event *e) { return e->used < e->nresults ? e->result[e->used++] : 0; }

struct answer {
	uint16_t lane;
	int64_t posting; /* -1: none */
	int64_t code, error, source, tag;
};

static void take_reference(struct hb__past_event *e, struct answer *a)
{
	int64_t n = take(e);
	a->lane = e->past->lane;
	if (n & 1) {
		a->lane = (uint16_t)((n - 1) / 2);
		a->posting = take(e);
		return;
	}
	a->posting = e->past->last_ref = n / 2 + 1 + e->past->last_ref;
}

/* ---- receives ---- */

static void received(
	const struct hb__past_event *e, const struct hb__under_way *it, int64_t comm, int64_t source, int64_t tag)
{
	if (comm < 0 || source < 0 || tag < 0) { /* from whom was not told */
		hb__count_broken();
		return;
	}
	hb__counted(HB_BEFORE_RECEIVES, e->past->lane, comm, source, tag);
	hb__overtakes(it, comm, source, tag);
}

static void completed(struct hb__past_event *e, const struct answer *a, bool looks)
{
	struct hb__under_way *it = a->posting >= 0 && !(a->code == HB_ST_ERROR && a->error == PENDING)
					   ? hb__under_way(a->lane, (uint64_t)a->posting)
					   : NULL;
	if (!it && a->code == HB_ST_CANCELLED) /* a send that was counted */
		hb__count_broken();
	if (!it)
		return;
	bool got = a->code == HB_ST_AS_POSTED || a->code == HB_ST_MESSAGE || a->code == HB_ST_CONTENTS ||
		   (a->code == HB_ST_ERROR && a->error == TRUNCATE);
	bool told = a->code == HB_ST_MESSAGE || a->code == HB_ST_ERROR;
	if (it->kind == HB_UNDER_WAY_RECEIVE && got)
		received(e, it, it->comm, told ? a->source : it->source, told ? a->tag : it->tag);
	if (looks)
		hb__under_way_told(it);
	else
		hb__under_way_over(it);
}

static void take_status(struct hb__past_event *e, bool looks)
{
	struct answer a = {.posting = -1, .code = take(e)};
	if (a.code != HB_ST_NULL && a.code != HB_ST_UNKNOWN)
		take_reference(e, &a);
	if (a.code == HB_ST_ERROR)
		a.error = take(e);
	if (a.code == HB_ST_MESSAGE || a.code == HB_ST_ERROR) {
		a.source = take(e);
		a.tag = take(e);
		take(e);
	}
	if (a.code == HB_ST_CONTENTS)
		take(e);
	completed(e, &a, looks);
}

static void answers(struct hb__past_event *e)
{
	bool looks = e->fn->means->does == HB_DOES_LOOK;
	int64_t n = -1;
	switch (e->fn->means->shape) {
	case HB_SHAPE_STATUS:
		if (e->nresults)
			take_status(e, looks);
		break;
	case HB_SHAPE_ALL:
		while (e->used < e->nresults)
			take_status(e, looks);
		break;
	case HB_SHAPE_ANY:
		if (e->nresults && take(e) >= 0)
			take_status(e, looks);
		break;
	case HB_SHAPE_SOME:
		for (n = e->nresults ? take(e) : 0; n > 0 && e->used < e->nresults; n--) {
			take(e);
			take_status(e, looks);
		}
		break;
	default:
		break;
	}
}

/* ---- calls ---- */

static void sent(const struct hb__past_event *e, const struct places *p, const int64_t *arg, unsigned nargs)
{
	int64_t dest = argument(arg, nargs, p->dest), comm = argument(arg, nargs, p->comm);
	if (dest >= 0 && comm >= 0)
		hb__counted(HB_BEFORE_SENDS, e->past->lane, comm, dest, argument(arg, nargs, p->tag));
}

/* Of a receive that is posted: what it asked for. */
static void asked(struct hb__under_way *it, const struct places *p)
{
	if (!it)
		return;
	it->comm = argument(it->arg, it->nargs, p->comm);
	it->source = argument(it->arg, it->nargs, p->source);
	it->tag = argument(it->arg, it->nargs, p->source_tag);
}

static bool asks(const int64_t *arg, unsigned nargs, const struct places *p)
{
	int64_t source = argument(arg, nargs, p->source);
	return source >= HB_ANY_SOURCE;
}

static void on_receive(struct hb__past_event *e, const struct places *p, uint64_t posting)
{
	const struct hb__past_slot *s = e->slot;
	if (e->error && e->error != TRUNCATE)
		return;
	if (p->dest >= 0)
		sent(e, p, s->arg, s->nargs);
	if (!asks(s->arg, s->nargs, p))
		return;
	if (e->fn->means->posts != HB_POSTS_NONE) {
		asked(hb__under_way_new(e, posting, HB_UNDER_WAY_RECEIVE), p);
		return;
	}
	bool told = e->nresults >= 3;
	received(e, NULL, argument(s->arg, s->nargs, p->comm),
		told ? e->result[0] : argument(s->arg, s->nargs, p->source),
		told ? e->result[1] : argument(s->arg, s->nargs, p->source_tag));
}

static void on_probe(struct hb__past_event *e, const struct places *p)
{
	if (!e->error && e->nresults >= 3 && e->result[0] >= 0)
		received(e, NULL, argument(e->slot->arg, e->slot->nargs, p->comm), e->result[0], e->result[1]);
}

static void on_collective(struct hb__past_event *e, const struct places *p, uint64_t posting, bool persistent)
{
	int64_t comm = argument(e->slot->arg, e->slot->nargs, p->comm);
	if (e->error || comm < 0)
		return;
	uint64_t number = hb__counted(HB_BEFORE_COLLECTIVES, e->past->lane, comm, 0, 0);
	if (persistent || e->fn->means->posts == HB_POSTS_NONE)
		return;
	struct hb__under_way *it = hb__under_way_new(e, posting, HB_UNDER_WAY_COLLECTIVE);
	if (it) {
		it->comm = comm;
		it->number = number;
	}
}

/* References are read before the starts post. */
static uint64_t on_start(struct hb__past_event *e, uint64_t posting)
{
	uint64_t n = 0;
	while (e->used < e->nresults) {
		struct answer a = {.posting = -1};
		take_reference(e, &a);
		struct hb__under_way *made = a.posting < 0 ? NULL : hb__under_way(a.lane, (uint64_t)a.posting);
		const struct hb__fn *fn = made ? hb__ring_function_of(made->function) : NULL;
		if (fn && fn->means->does == HB_DOES_SEND)
			sent(e, places_of(fn), made->arg, made->nargs);
		if (fn && fn->means->does == HB_DOES_RECEIVE && asks(made->arg, made->nargs, places_of(fn))) {
			struct hb__past_slot s = {.function = made->function, .nargs = (uint8_t)made->nargs};
			memcpy(s.arg, made->arg, sizeof s.arg);
			struct hb__past_event as = {.past = e->past, .fn = fn, .slot = &s};
			asked(hb__under_way_new(&as, posting + n, HB_UNDER_WAY_RECEIVE), places_of(fn));
		}
		n++;
	}
	return n;
}

static void on_free(struct hb__past_event *e)
{
	struct answer a = {.posting = -1};
	if (!e->nresults)
		return;
	take_reference(e, &a);
	struct hb__under_way *it = a.posting < 0 ? NULL : hb__under_way(a.lane, (uint64_t)a.posting);
	if (it && it->kind == HB_UNDER_WAY_RECEIVE)
		hb__count_broken(); /* nobody will say what it gets */
	if (it)
		hb__under_way_over(it);
}

static uint64_t posts(const struct hb__past_event *e, const struct places *p, uint64_t started)
{
	if (e->error || e->fn->means->posts == HB_POSTS_NONE)
		return 0;
	if (e->fn->means->posts == HB_POSTS_ONE)
		return 1;
	int64_t count = e->slot->nargs ? argument(e->slot->arg, e->slot->nargs, p->count) : (int64_t)started;
	return count > 0 ? (uint64_t)count : 0;
}

void hb__fold_event(struct hb__past_event *e)
{
	const struct hb_meaning *means = e->fn->means;
	if (!means)
		return;
	const struct places *p = places_of(e->fn);
	uint64_t posting = e->past->posted, started = 0;
	bool persistent = means->flags & HB_PERSISTENT;
	if (persistent && !e->error)
		hb__under_way_new(e, posting, HB_UNDER_WAY_PERSISTENT);
	switch (means->does) {
	case HB_DOES_SEND:
		if (!persistent && !e->error)
			sent(e, p, e->slot->arg, e->slot->nargs);
		break;
	case HB_DOES_RECEIVE:
		if (!persistent)
			on_receive(e, p, posting);
		break;
	case HB_DOES_MATCHED_PROBE:
		on_probe(e, p);
		break;
	case HB_DOES_COMPLETE:
	case HB_DOES_LOOK:
		answers(e);
		break;
	case HB_DOES_START:
		started = on_start(e, posting);
		break;
	case HB_DOES_FREE_REQUEST:
		on_free(e);
		break;
	case HB_DOES_COLLECTIVE:
	case HB_DOES_FILE_OPEN:
	case HB_DOES_WINDOW_MAKE:
		on_collective(e, p, posting, persistent);
		break;
	default:
		if (means->shape == HB_SHAPE_CLOCK && e->nresults)
			e->past->clock += (uint64_t)e->result[0];
		else if ((means->shape == HB_SHAPE_MATCHED || means->shape == HB_SHAPE_REQUEST) && e->nresults)
			take_reference(e, &(struct answer){0});
		break;
	}
	e->past->posted += posts(e, p, started);
}
