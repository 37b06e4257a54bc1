/* Fences and the freeing of a window are collective: all its processes call them in one order. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/onesided/onesided.h"

struct call {
	uint32_t window, number, process; /* the number-th of the process on this window */
	size_t remark;
	bool free;
};

static int by_number(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	if (x->window != y->window)
		return x->window < y->window ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

static void place(const struct hb__onesided *o, const struct call *x, hb_point *ret)
{
	const hb_remark *r = &o->c->remarks->at[x->remark];
	*ret = hb__point_of_call(r);
}

static hb_status differ(struct hb__onesided *o, const struct call *a, const struct call *b)
{
	const hb_process *p = hb_model_processes(o->c->model);
	hb_point point[2];
	char named[HB__NAMED];
	hb__window_named(o->c, a->process, o->c->remarks->at[a->remark].winsync->win, named);
	place(o, a, &point[0]);
	place(o, b, &point[1]);
	return hb__finding(o->c, HB_COLLECTIVE_CALL, false,
		"Call MPI_Win_fence equally often on all processes of the window, and then MPI_Win_free.", point, 2,
		o->err, "rank %s calls %s where rank %s calls %s on the same window%s", p[a->process].name,
		point[0].function, p[b->process].name, point[1].function, named);
}

static hb_status compare(struct hb__onesided *o, const struct call *call, size_t n)
{
	uint32_t told = HB_NO; /* what follows on a window is a consequence */
	for (size_t i = 1; i < n; i++) {
		const struct call *a = &call[i - 1], *b = &call[i];
		if (a->window != b->window || a->number != b->number || a->free == b->free || b->window == told)
			continue;
		told = b->window;
		hb_status status = differ(o, a, b);
		if (status)
			return status;
	}
	return HB_OK;
}

hb_status hb__onesided_fences(struct hb__onesided *o)
{
	const hb_remarks *all = o->c->remarks;
	struct call *call = NULL;
	size_t n = 0, room = 0;
	hb_status status = HB_OK;
	for (size_t i = 0; i < all->n; i++) {
		const hb_remark *r = &all->at[i];
		if (r->word != HB_REMARK_WINSYNC)
			continue;
		enum hb_sync kind = r->winsync->kind;
		struct hb__window_part *part = hb__part_of(o, r->process, r->winsync->win);
		if (!part || part->id == HB_NO || (kind != HB_SYNC_FENCE && kind != HB_SYNC_FREE))
			continue;
		if (!HB_GROW(call, room, n + 1)) {
			status = hb__onesided_no_memory(o->err);
			break;
		}
		call[n++] = (struct call){part->id, part->fences++, r->process, i, kind == HB_SYNC_FREE};
	}
	if (n)
		qsort(call, n, sizeof *call, by_number);
	if (!status)
		status = compare(o, call, n);
	free(call);
	return status;
}
