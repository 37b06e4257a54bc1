/* What front/ asks of watch/, and what the heap tells. */
#include <string.h>

#include "capture/accesses/watch/watch.h"
#include "capture/heap/heap.h"

static bool controls(void) { return hb__settings()->control; }

static void begins(struct hb__thread *t, hb_construct_type type, const hb_point *point)
{
	(void)point;
	if (controls())
		hb__control_begins(t, type);
}

static void ends(struct hb__thread *t, hb_construct_type type, const hb_point *point)
{
	(void)point;
	if (controls())
		hb__control_ends(t, type);
}

static void iterates(struct hb__thread *t, hb_construct_type type, unsigned n, const int64_t *index)
{
	struct hb__watch *w = hb__watch_of(t);
	if (w)
		hb__control_iterates(w, type, n, index);
}

/* The first thread tells what the others have written, while they stand still. */
static void settle_all(void)
{
	for (struct hb__watch *w = hb__watches(); w; w = w->next)
		hb__seen_settle(w->thread);
}

static void came(struct hb__array *array)
{
	hb__shadow_gone(array); /* it has changed, perhaps */
	if (controls())
		hb__shadow_registered(array);
}

static void gone(struct hb__array *array)
{
	hb__seen_forget(array);
	hb__shadow_gone(array);
}

static void exchanged(struct hb__array *array, const unsigned char *sides)
{
	if (controls())
		hb__shadow_exchanged(array, sides);
}

/* What was looked at. */
static void over(struct hb__thread *t)
{
	(void)t;
	if (!controls())
		return;
	for (struct hb__watch *w = hb__watches(); w; w = w->next)
		hb__looked_at(w->looked[0], w->looked[1]);
}

static void reduction(const void *at, hb_element type)
{
	hb__seen_variables = true;
	if (controls())
		hb__control_reduction(at, type);
}

/* ---- the heap ---- */

static void freed(void *p)
{
	struct hb__thread *t = hb__thread_here();
	if (!t)
		return;
	hb__array_freed(t, p);
	hb__thread_leaves(t);
}

static void begun(void *p, size_t empty, size_t bytes, const void *made)
{
	static const uint32_t color = HB__PAINT;
	for (size_t i = (empty + 3) / 4 * 4; controls() && i + 4 <= bytes; i += 4)
		memcpy((char *)p + i, &color, 4);
	hb__site_of(p, bytes, made);
}

/* Before front/ begins to ask, and before the program allocates what it computes with. */
__attribute__((constructor(102))) static void start(void)
{
	bool asked = hb__settings_early();
	hb__watcher = (struct hb__watcher){
		.present = hb__watcher.present,
		.begins = begins,
		.ends = ends,
		.settles = hb__seen_settle,
		.settle_all = settle_all,
		.iterates = asked && controls() ? iterates
						: NULL, /* who is to be told of iterations costs something for each */
		.array = came,
		.gone = gone,
		.exchanged = exchanged,
		.received = hb__shadow_received,
		.reduction = reduction,
		.reduced = hb__control_reduced,
		.over = over,
	};
	if (hb_heap_tell && asked)
		hb_heap_tell(freed, begun);
}
