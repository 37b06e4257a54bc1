/* Stores of the program to its own memory of a window, anywhere in a part of it: a copy of what was there when a call returned is
 * compared when the next one begins. What differs was stored by this process, or by an access of another one: which of them the
 * rules find out, who know all accesses. Loads leave no trace. The part is another one after each synchronisation, so that a loop is
 * seen everywhere in time. */
#include <string.h>

#include "capture/mpi/check/handles/handles.h"
#include "capture/mpi/check/windows/windows.h"

#define RUNS 8 /* told of a call */

/* Only where nobody else can store: one thread, and memory that the program gave and shares with no other process. What the library
 * allocates others may have mapped, too (MPI 4.1: MPI_Win_shared_query). */
static bool wanted(const struct hb__call *c, const struct hb__window *w)
{
	if (!w->handle || !w->base || w->size <= 0 || w->dynamic || w->polled || hb__many_threads || hb__threaded ||
		c->lane->nested)
		return false;
	return w->given && (w->block.start || hb__memory_of_program(w->base, (size_t)w->size));
}

void hb__compare_begin(const struct hb__call *c)
{
	for (struct hb__window *w = hb__windows; w; w = w->next) {
		w->copied = 0;
		if (!wanted(c, w) || (!w->copy && !(w->copy = hb__pool(HB__COMPARED))))
			continue;
		if ((c->fn->flags & (HB_EVENT | HB_NONBLOCKING)) == HB_EVENT && c->fn->cls == HB_RMA) {
			w->part += HB__COMPARED;
			w->part = w->part < w->size ? w->part : 0;
		}
		int64_t n = w->size - w->part < HB__COMPARED ? w->size - w->part : HB__COMPARED;
		uintptr_t low = (uintptr_t)w->base + (uintptr_t)w->part, at = low, from, to;
		if (!hb__still_readable((const void *)low, (size_t)n))
			continue;
		while (hb__guard_gap(&at, low + (uintptr_t)n, &from, &to))
			memcpy(w->copy + (from - low), (const void *)from, to - from);
		w->copied = n;
		w->copy_turn = hb__guard_turn();
	}
}

/* *at: where to look from, becomes the first byte that differs. Returns behind the last one that does, without a gap. */
static uintptr_t run_of(const struct hb__window *w, uintptr_t low, uintptr_t *at, uintptr_t to)
{
	uintptr_t end;
	while (*at < to && *(const char *)*at == w->copy[*at - low])
		++*at;
	for (end = *at; end < to && *(const char *)end != w->copy[end - low];)
		end++;
	return end;
}

static void tell(struct hb__call *c, const struct hb__window *w)
{
	uintptr_t low = (uintptr_t)w->base + (uintptr_t)w->part, at = low, from, to;
	unsigned told = 0;
	while (hb__guard_gap(&at, low + (uintptr_t)w->copied, &from, &to)) {
		if (!memcmp((const void *)from, w->copy + (from - low), to - from))
			continue;
		for (uintptr_t end; told < RUNS && (end = run_of(w, low, &from, to)) > from; from = end, told++)
			if (hb__remark_wanted(HB_REMARK_CHANGED, hb__check_site(c)))
				hb__remark(c, CHANGED, .win = w->number, .off = (int64_t)(from - (uintptr_t)w->base),
					.len = (int64_t)(end - from), .target = -1);
	}
}

void hb__compare_end(struct hb__call *c)
{
	for (struct hb__window *w = hb__windows; w; w = w->next) {
		if (w->copied && wanted(c, w) && w->copy_turn == hb__guard_turn() &&
			hb__still_readable(w->base + w->part, (size_t)w->copied))
			tell(c, w);
		w->copied = 0;
	}
}
