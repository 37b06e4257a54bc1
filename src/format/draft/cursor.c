/* The rows of a draft, one after the other: what the sealer asks for. */
#include <stdlib.h>

#include "base/grow.h"
#include "format/draft/internal.h"
#include "format/row.h"

struct draft_cursor {
	hb_cursor base;
	const hb_draft *draft;
	uint32_t lane;
	struct hb__in in;
	uint64_t event, exit;
	int64_t *value; /* arguments, then results */
	size_t cap;
};

static void draft_close(hb_cursor *cursor)
{
	struct draft_cursor *c = (struct draft_cursor *)cursor;
	free(c->value);
	free(c);
}

/* So many values, behind those that are there already. */
static bool take(struct draft_cursor *c, size_t before, uint64_t n)
{
	while (c->cap < before + n)
		if (!HB_GROW(c->value, c->cap, c->cap + 1))
			return false;
	for (uint64_t i = 0; i < n; i++)
		c->value[before + i] = hb__in_sv(&c->in);
	return true;
}

static int draft_next(hb_cursor *cursor, hb_row *ret, hb_error *err)
{
	struct draft_cursor *c = (struct draft_cursor *)cursor;
	if (c->in.p >= c->in.end)
		return 0;
	*ret = (hb_row){.number = ++c->event, .lane = c->lane, .era = 1};
	ret->function = (uint32_t)hb__in_uv(&c->in);
	ret->enter = c->exit + hb__in_uv(&c->in);
	ret->exit = c->exit = ret->enter + hb__in_uv(&c->in);
	ret->nargs = (uint32_t)hb__in_uv(&c->in);
	bool good = take(c, 0, ret->nargs);
	ret->nresults = (uint32_t)hb__in_uv(&c->in);
	good = good && take(c, ret->nargs, ret->nresults);
	if (!good)
		return hb__fail(err, HB_E_MEMORY, NULL, 0, "out of memory");
	ret->arg = c->value;
	ret->results = c->value ? c->value + ret->nargs : NULL;
	/* A slot is what helps the sealer to find the same call again. */
	ret->slot = ret->function + (ret->nargs ? (uint32_t)ret->arg[0] * 31 : 0);
	return 1;
}

static hb_status draft_open(hb_log *log, uint32_t lane, uint64_t from, hb_cursor **ret_cursor, hb_error *err)
{
	const hb_draft *d = (const hb_draft *)log;
	struct draft_cursor *c = calloc(1, sizeof *c);
	if (!c)
		return hb__fail(err, HB_E_MEMORY, NULL, 0, "out of memory");
	const struct hb__bytes *rows = &d->lane[lane].rows;
	c->base.ops = &hb__draft_ops;
	c->draft = d;
	c->lane = lane;
	c->in = (struct hb__in){rows->p, rows->p ? rows->p + rows->n : NULL, false};
	hb_row row;
	int more = 1;
	while (more > 0 && c->event + 1 < from)
		more = draft_next(&c->base, &row, err);
	if (more < 0) {
		draft_close(&c->base);
		return (hb_status)more;
	}
	*ret_cursor = &c->base;
	return HB_OK;
}

/* No thread of a draft is inside a call, and nothing asks for the beginnings of its blocks: it has none. */
static hb_status draft_slot(hb_cursor *cursor, uint32_t slot, hb_row *ret_row)
{
	(void)cursor, (void)slot, (void)ret_row;
	return HB_E_ARGUMENT;
}

static hb_status draft_stretch(
	const hb_log *log, const struct hb__lane_rows *lane, uint64_t index, hb_stretch *ret, hb_error *err)
{
	(void)lane, (void)index, (void)ret;
	return hb__fail(err, HB_E_ARGUMENT, log->path, 0, "a draft has no stretches");
}

const struct hb__cursor_ops hb__draft_ops = {draft_open, draft_next, draft_slot, draft_close, NULL, draft_stretch};
