/* Iterations: which are traced. Of a loop that several threads do the first and last ones are those of each of them. */
#include "capture/accesses/front/front.h"

static bool any_global(void)
{
	for (unsigned i = 0; i < HB_DIMENSIONS; i++)
		if (hb__wanted.global_first[i] >= 0 || hb__wanted.global_last[i] >= 0)
			return true;
	return false;
}

bool hb__loop_limited(const struct hb__open *o)
{
	if (o->ignored)
		return false;
	if (o->construct->type == HB_CONSTRUCT_SEQUENTIAL)
		return hb__wanted.loop_first >= 0 || hb__wanted.loop_last >= 0;
	return o->construct->type == HB_CONSTRUCT_PARALLEL &&
	       (hb__wanted.local_first >= 0 || hb__wanted.local_last >= 0 || any_global());
}

static int64_t last_wanted(const struct hb__open *o)
{
	return o->construct->type == HB_CONSTRUCT_SEQUENTIAL ? hb__wanted.loop_last : hb__wanted.local_last;
}

void hb__loop_begins(struct hb__open *o)
{
	if (o->construct->type == HB_CONSTRUCT_PARALLEL)
		hb__team = o;
	if (unlikely(hb__loop_limited(o) && last_wanted(o) > 0))
		hb__ring_open(&o->own, (uint64_t)last_wanted(o),
			o->construct->type == HB_CONSTRUCT_SEQUENTIAL ? NULL : hb__first);
}

void hb__loop_ends(struct hb__open *o)
{
	hb__ring_close(&o->own);
	if (o->construct->type != HB_CONSTRUCT_PARALLEL)
		return;
	for (struct hb__thread *t = hb__threads(); t; t = t->next) {
		if (t->ring)
			hb__ring_close(t->ring);
		t->skips = false;
	}
	hb__team = NULL;
	for (unsigned i = hb__depth - 1; i-- > 0 && !hb__team;)
		if (!hb__nest[i].ignored && hb__nest[i].construct->type == HB_CONSTRUCT_PARALLEL)
			hb__team = &hb__nest[i];
}

static bool in_global(unsigned n, const int64_t *index)
{
	for (unsigned i = 0; i < n; i++)
		if ((hb__wanted.global_first[i] >= 0 && index[i] < hb__wanted.global_first[i]) ||
			(hb__wanted.global_last[i] >= 0 && index[i] > hb__wanted.global_last[i]))
			return false;
	return true;
}

/* Whether iteration number i of a loop is left out; those behind the first ones may turn out to be among the last ones. */
static bool left_out(uint64_t i, int64_t first, int64_t last, struct hb__ring *ring)
{
	if ((first < 0 && last < 0) || (first >= 0 && i < (uint64_t)first))
		return false;
	if (last > 0)
		hb__ring_turn(ring);
	return last <= 0;
}

static bool skipped(const struct hb__open *o, struct hb__ring *ring, uint64_t i, unsigned n, const int64_t *index)
{
	if (o->construct->type == HB_CONSTRUCT_SEQUENTIAL)
		return left_out(i, hb__wanted.loop_first, hb__wanted.loop_last, ring);
	bool out = left_out(i, hb__wanted.local_first, hb__wanted.local_last, ring);
	return out || !in_global(n, index);
}

static struct hb__ring *ring_of_thread(struct hb__thread *t, const struct hb__open *o)
{
	if (!t->ring)
		t->ring = hb__room_for(sizeof *t->ring);
	if (t->ring && !t->iterations && last_wanted(o) > 0)
		hb__ring_open(t->ring, (uint64_t)last_wanted(o), t);
	return t->ring;
}

static void put(struct hb__thread *t, struct hb__construct *c, unsigned n, const int64_t *index)
{
	uint8_t record[2 * HB__UV + HB_DIMENSIONS * HB__UV], *w = hb__uv(record, HB_TRACE_ITERATION);
	w = hb__uv(w, n);
	for (unsigned i = 0; i < n; i++)
		w = hb__sv(w, index[i]);
	size_t bytes = (size_t)(w - record);
	if (unlikely(hb__wanted.dry)) {
		__atomic_fetch_add(&c->cost[1], 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&c->cost[4], bytes, __ATOMIC_RELAXED);
	} else if (hb__put_begin(t, sizeof record, true)) {
		for (size_t i = 0; i < bytes; i++)
			t->w[i] = record[i];
		t->w += bytes;
		hb__put_done(t);
	}
}

static void iterate_first(struct hb__thread *t, unsigned n, const int64_t *index)
{
	struct hb__open *o = hb__innermost();
	if (!o || o->ignored ||
		(o->construct->type != HB_CONSTRUCT_PARALLEL && o->construct->type != HB_CONSTRUCT_SEQUENTIAL))
		return;
	if (hb__loop_limited(o)) {
		o->skips = skipped(o, &o->own, o->iterations, n, index);
		hb__look_again();
	}
	o->iterations++;
	hb_trace_level level = o->construct->level;
	if (hb__details && (hb__wanted.dry || (level >= HB_TRACE_MINIMAL && level <= HB_TRACE_FULL)))
		put(t, o->construct, n, index);
	if (hb__watcher.iterates)
		hb__watcher.iterates(t, o->construct->type, n, index);
}

static void iterate_other(struct hb__thread *t, unsigned n, const int64_t *index)
{
	struct hb__open *o = hb__team;
	if (!o)
		return;
	if (t->loop != hb__parallel) {
		t->loop = hb__parallel;
		t->iterations = 0;
		t->skips = false;
	}
	if (hb__loop_limited(o)) {
		struct hb__ring *ring = ring_of_thread(t, o);
		t->skips = !ring || skipped(o, ring, t->iterations, n, index);
	}
	t->iterations++;
	hb_trace_level level = o->construct->level;
	if (hb__details && !t->skips && (hb__wanted.dry || (level >= HB_TRACE_MINIMAL && level <= HB_TRACE_FULL)))
		put(t, o->construct, n, index);
	if (hb__watcher.iterates)
		hb__watcher.iterates(t, HB_CONSTRUCT_PARALLEL, n, index);
}

void hb__iteration_unknown(struct hb__thread *t)
{
	struct hb__open *o = t == hb__first ? hb__innermost() : hb__team;
	if (unlikely(hb__watcher.settles != NULL))
		hb__watcher.settles(t);
	t->n = 0;
	if (!o || o->ignored)
		return;
	hb_trace_level level = o->construct->level;
	if (hb__details && !t->skips && !hb__wanted.dry && level >= HB_TRACE_MINIMAL && level <= HB_TRACE_FULL)
		put(t, o->construct, 0, NULL);
	if (hb__watcher.iterates)
		hb__watcher.iterates(t, HB_CONSTRUCT_PARALLEL, 0, NULL);
}

void hb__iterate(struct hb__thread *t, unsigned n, const int64_t *index)
{
	if (unlikely(hb__watcher.settles != NULL))
		hb__watcher.settles(t);
	t->n = n;
	for (unsigned i = 0; i < n; i++)
		t->index[i] = index[i];
	if (t == hb__first)
		iterate_first(t, n, index);
	else
		iterate_other(t, n, index);
}
