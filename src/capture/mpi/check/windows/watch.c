/* Loads and stores of the program to memory that an access is pending on, or that others may access (guard.c). Of a window a few
 * bytes are watched: those where this process accesses others, for programs tend to do alike, else the first. Two
 * watches tell a store, which both see, from a load, which only the second one does. */
#include "capture/mpi/check/windows/windows.h"

static const void *stores_of(const struct hb__window *w) { return &w->base; }
static const void *loads_of(const struct hb__window *w) { return &w->size; }

void hb__watch_stop(const struct hb__window *w)
{
	hb__guard_end(stores_of(w));
	hb__guard_end(loads_of(w));
}

static void watch(const struct hb__call *c, struct hb__window *w)
{
	int64_t unit = w->unit == 2 || w->unit == 4 || w->unit == 8 ? w->unit : 4, at = w->watched;
	if (at < 0 || at + unit > w->size)
		at = 0;
	if (!w->base || w->size < unit || ((uintptr_t)w->base + (uintptr_t)at) % (uintptr_t)unit)
		return;
	struct hb_remark_touch owner = {.win = w->number, .write = true, .off = at, .len = unit, .target = -1};
	if (!hb__guard_wanted(c))
		return;
	hb__watch_stop(w);
	hb__guard_begin(stores_of(w), w->base + at, (size_t)unit, false, &owner);
	owner.write = false;
	hb__guard_begin(loads_of(w), w->base + at + unit / 2, (size_t)(unit / 2), true, &owner);
}

void hb__watch_polled(struct hb__window *w)
{
	w->polled = true;
	hb__watch_stop(w);
}

void hb__watch_begin(const struct hb__call *c)
{
	if (!hb__guard_works())
		return;
	for (struct hb__window *w = hb__windows; w; w = w->next)
		if (w->handle && w->base && !w->polled) {
			if (hb__guard_told(loads_of(w)))
				watch(c, w);
			return; /* there are four registers */
		}
}

/* ---- buffers of pending accesses ---- */

static const void *key_of(const struct hb__local *p)
{
	return (const void *)(uintptr_t)(p->seq << 2 | 1 | (p->write ? 2 : 0)); /* no address that another one has */
}

void hb__watch_pending(const struct hb__call *c, const struct hb__local *p)
{
	const struct hb_remark_touch owner = {
		.win = -1, .rma = (int64_t)p->seq, .w = p->write, .target = p->target, .made = p->site};
	if (!hb__guard_wanted(c))
		return;
	hb__guard_begin(key_of(p), p->at, (size_t)p->bytes, p->write, &owner);
}

void hb__watch_done(const struct hb__local *p) { hb__guard_end(key_of(p)); }
