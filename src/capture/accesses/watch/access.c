/* The way of an access: which array, which elements, what is told of them. */
#include <string.h>

#include "capture/accesses/watch/watch.h"

static __thread struct hb__watch *here __attribute__((tls_model("initial-exec")));
static struct hb__watch *watches;

struct hb__watch *hb__watches(void) { return __atomic_load_n(&watches, __ATOMIC_ACQUIRE); }

struct hb__watch *hb__watch_of(struct hb__thread *t)
{
	struct hb__watch *w = t->watch;
	if (!w && (w = hb__trace_pages(sizeof *w)) != NULL) {
		w->thread = t;
		w->next = __atomic_load_n(&watches, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&watches, &w->next, w, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		t->watch = w;
	}
	return here = w;
}

bool hb__seen_variables;

/* ---- writes ---- */

/* What was written is in memory now. */
static void settle(struct hb__thread *t, struct hb__watch *w)
{
	struct hb__written had = w->written;
	if (likely(!had.array && !had.variable))
		return;
	w->written = (struct hb__written){0};
	if (had.variable) {
		hb__put_variable(t, HB_TRACE_RV_AFTER, had.place, had.variable);
		return;
	}
	unsigned size = hb_element_bytes(had.array->as.type);
	const char *value = (const char *)had.array->low + had.element * size;
	for (uint64_t i = 0; i < had.n; i++)
		hb__put_access(t, HB_TRACE_AFTER, had.place, had.array, had.element + i, value + i * size);
}

void hb__seen_settle(struct hb__thread *t)
{
	if (t->watch)
		settle(t, t->watch);
}

void hb__seen_forget(const struct hb__array *array)
{
	for (struct hb__watch *w = hb__watches(); w; w = w->next)
		if (w->written.array == array)
			w->written = (struct hb__written){0};
}

/* ---- elements ---- */

/* The elements of its array that n bytes at `at` touch: those that lie in the storage whole. */
static inline uint64_t elements_of(const struct hb__seen_place *e, uintptr_t at, size_t n, uint64_t *ret_first)
{
	uint64_t first = (at - e->low) >> e->shift, last = (at + n - 1 - e->low) >> e->shift,
		 all = e->bytes >> e->shift;
	*ret_first = first;
	if (first >= all)
		return 0;
	return (last < all ? last : all - 1) - first + 1;
}

static void tell(
	struct hb__thread *t, struct hb__watch *w, struct hb__seen_place *e, uintptr_t at, size_t n, uint8_t access)
{
	uint32_t wanted = hb__watched;
	bool writes = access & HB_ACCESS_WRITE;
	if (t->skips || !(wanted & (writes ? HB__WATCH_WRITES : HB__WATCH_READS)))
		return;
	if (!e->array) {
		if (__atomic_load_n(&hb__seen_variables, __ATOMIC_RELAXED) &&
			hb__put_variable(t, writes ? HB_TRACE_RV_BEFORE : HB_TRACE_RV_READ, hb__seen_number(t, e),
				(const void *)at) &&
			writes)
			w->written = (struct hb__written){.variable = (const void *)at, .place = e->number};
		return;
	}
	uint64_t first, many = elements_of(e, at, n, &first);
	size_t size = (size_t)1 << e->shift;
	const char *value = (const char *)e->low + first * size;
	uint64_t place = hb__seen_number(t, e);
	for (uint64_t i = 0; i < many; i++)
		hb__put_access(
			t, writes ? HB_TRACE_BEFORE : HB_TRACE_READ, place, e->array, first + i, value + i * size);
	if (writes && many)
		w->written = (struct hb__written){e->array, NULL, first, many, place};
}

/* Of which more is wanted than that its array was touched, or whose instruction accesses something else than the last time. */
static __attribute__((noinline)) void look(
	uintptr_t at, size_t n, uint8_t access, bool atomic, const void *pc, struct hb__seen_place *e)
{
	struct hb__thread *t = hb__thread_here();
	if (!t)
		return;
	struct hb__watch *w = here ? here : hb__watch_of(t);
	if (!w)
		goto out;
	settle(t, w);
	if (!e)
		e = &w->place[((uintptr_t)pc ^ (uintptr_t)pc >> 10) % HB__PLACES];
	if (e->pc != pc)
		*e = (struct hb__seen_place){.pc = pc};
	while (n) {
		if (at - e->low >= e->bytes || *e->valid != e->was)
			hb__seen_find(w, e, (const void *)at);
		/* a range may lie in several arrays, and between them */
		size_t left = e->low + e->bytes - at, part = n < left ? n : left;
		if (e->array)
			hb__touch(e->array, access);
		if (hb__watched & HB__WATCH_CONTROL)
			hb__control(t, w, e, at, part, access, atomic);
		tell(t, w, e, at, part, access);
		at += part;
		if ((n -= part))
			settle(t, w);
	}
out:
	hb__thread_leaves(t);
}

void hb__seen(void *p, size_t n, uint8_t access, bool atomic, const void *pc)
{
	struct hb__watch *w = here;
	uintptr_t at = (uintptr_t)p;
	if (unlikely(!w)) {
		look(at, n, access, atomic, pc, NULL);
		return;
	}
	struct hb__seen_place *e = &w->place[((uintptr_t)pc ^ (uintptr_t)pc >> 10) % HB__PLACES];
	bool same =
		likely(e->pc == pc && at - e->low < e->bytes && n <= e->bytes - (at - e->low) && *e->valid == e->was);
	if (likely(same && hb__watched == HB__WATCH_TOUCHED)) {
		if (e->array)
			hb__touch(e->array, access);
		return;
	}
	look(at, n, access, atomic, pc, e);
}
