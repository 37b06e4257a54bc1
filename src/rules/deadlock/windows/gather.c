/* From remarks to windows and files, and what each process does with them. */
#include "base/grow.h"
#include "rules/deadlock/windows/windows.h"

static struct hb__object *find(const struct hb__objects *o, uint32_t process, bool file, int64_t number)
{
	for (size_t i = o->n; i-- > o->first[process];)
		if (o->at[i].file == file && o->at[i].number == number)
			return &o->at[i];
	return NULL;
}

static void made(struct hb__objects *o, const hb_remark *r, bool file)
{
	if (!HB_GROW(o->at, o->room, o->n + 1)) {
		o->no_memory = true;
		return;
	}
	uint32_t id = hb_collective_at(o->g->m, r->at);
	o->at[o->n++] = (struct hb__object){.process = r->process,
		.id = id,
		.group = id == HB_NO ? HB_NO : hb_model_collectives(o->g->m)[id].group,
		.file = file,
		.number = file ? r->filesync->file : r->window->win};
}

static void take_part(struct hb__object *x, const hb_remark *r)
{
	x->calls++;
	x->last = r;
}

static void locked(struct hb__objects *o, struct hb__object *x, const hb_remark *r)
{
	int64_t rank = r->winsync->rank;
	for (uint32_t i = 0; i < x->locks; i++)
		if (x->lock[i].rank == rank) {
			x->lock[i].times++;
			return;
		}
	if (!HB_GROW(x->lock, x->room, x->locks + 1))
		o->no_memory = true;
	else
		x->lock[x->locks++] = (struct hb__lock){rank, r->winsync->x, 1};
}

static void unlocked(struct hb__object *x, const hb_remark *r)
{
	int64_t rank = r->winsync->rank;
	for (uint32_t i = 0; i < x->locks; i++)
		if (x->lock[i].rank == rank) {
			x->unlocked = x->lock[i];
			x->lock[i] = x->lock[--x->locks];
			return;
		}
}

static void on_window(struct hb__objects *o, const hb_remark *r)
{
	struct hb__object *x = find(o, r->process, false, r->winsync->win);
	if (!x)
		return;
	enum hb_sync kind = r->winsync->kind;
	if (kind == HB_SYNC_FENCE || kind == HB_SYNC_FREE)
		take_part(x, r);
	else if (kind == HB_SYNC_LOCK || kind == HB_SYNC_LOCK_ALL)
		locked(o, x, r);
	else if (kind == HB_SYNC_UNLOCK || kind == HB_SYNC_UNLOCK_ALL)
		unlocked(x, r);
	else if (kind != HB_SYNC_START && kind != HB_SYNC_POST && kind != HB_SYNC_COMPLETE)
		return;
	else if (HB_GROW(x->epoch, x->epoch_room, x->epochs + 1))
		x->epoch[x->epochs++] = r;
	else
		o->no_memory = true;
}

static void on_file(struct hb__objects *o, const hb_remark *r)
{
	const char *fn = r->call->fn;
	if (hb_meaning_of(fn, HB_IO)->does == HB_DOES_FILE_OPEN) {
		made(o, r, true);
		return;
	}
	struct hb__object *x = find(o, r->process, true, r->filesync->file);
	if (x)
		take_part(x, r);
}

bool hb__objects_read(struct hb__graph *g, struct hb__objects *ret, hb_error *err)
{
	uint32_t processes = hb_model_get_info(g->m)->processes, process = 0;
	*ret = (struct hb__objects){.g = g, .first = calloc((size_t)processes + 2, sizeof *ret->first)};
	if (!ret->first || (!g->c && hb_remarks_read(g->m, &ret->own, err)))
		return false;
	const hb_remarks *all = g->c ? g->c->remarks : ret->own;
	for (size_t i = 0; i < all->n && !ret->no_memory; i++) {
		const hb_remark *r = &all->at[i];
		while (process < r->process)
			ret->first[++process] = (uint32_t)ret->n;
		if (r->word == HB_REMARK_WINDOW)
			made(ret, r, false);
		else if (r->word == HB_REMARK_WINSYNC)
			on_window(ret, r);
		else if (r->word == HB_REMARK_FILESYNC)
			on_file(ret, r);
		else if (r->word == HB_REMARK_UNREADY && hb__under_way(g, r))
			snprintf(g->wait[r->at.line].unready, sizeof g->wait->unready, "%s", r->unready->text);
	}
	while (process < processes)
		ret->first[++process] = (uint32_t)ret->n;
	return !ret->no_memory;
}

void hb__objects_free(struct hb__objects *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->at[i].lock);
		free(o->at[i].epoch);
	}
	free(o->at);
	free(o->first);
	hb_remarks_free(o->own);
}

/* ---- looking ---- */

struct hb__object *hb__object_at(const struct hb__objects *o, uint32_t process, const struct hb__object *same)
{
	for (uint32_t i = o->first[process]; i < o->first[process + 1]; i++)
		if (o->at[i].id == same->id && o->at[i].file == same->file)
			return &o->at[i];
	return NULL;
}

bool hb__under_way(const struct hb__graph *g, const hb_remark *r)
{
	if (r->at.line == HB_NO)
		return false;
	const hb_line *l = &hb_model_lines(g->m)[r->at.line];
	return l->inside && r->at.event == l->events;
}

struct hb__object *hb__object_of(const struct hb__objects *o, const struct hb__wait *w)
{
	uint32_t first = o->first[w->process], end = o->first[w->process + 1];
	if (w->object >= 0) {
		for (uint32_t i = end; i-- > first;)
			if (!o->at[i].file && o->at[i].number == w->object)
				return &o->at[i];
		return NULL;
	}
	for (uint32_t i = first; i < end; i++)
		if (o->at[i].last && o->at[i].last->at.line == w->line && hb__under_way(o->g, o->at[i].last))
			return &o->at[i];
	return NULL;
}
