/* The items of the threads: read once when the file is opened, which finds what does not make sense and where each extent stands,
 * and again by cursors. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/data/data.h"

struct hb_data_cursor {
	hb_data *d;
	uint32_t thread; /* its index; HB_NO: a thread that has no items */
	size_t extent;   /* which of the thread's is the next to be loaded */
	uint64_t at;     /* of the loaded bytes, in the raw form */
	uint8_t *p;      /* a copy: a frame does not stay, and a process may still be writing */
	size_t room;
	struct hb__in in;
	uint64_t event, next, from;
	hb_data_piece *piece;
	size_t pieces_cap;
	hb_data_item held; /* read ahead, by hb_data_of */
	bool holds, scans; /* scans: names are taken, and nothing is known of the extents yet */
};

const struct hb__extent *hb__data_extent(const hb_data *d, uint64_t at, uint64_t bytes)
{
	size_t low = 0, high = d->extents;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (d->extent[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	const struct hb__extent *x = d->extents ? &d->extent[low] : NULL;
	uint64_t begin = x ? x->at + HB_DATA_HEAD : 0;
	bool inside = x && x->kind == HB_DATA_BYTES && at >= begin && at - begin <= x->valid &&
		      bytes <= x->valid - (at - begin);
	return inside ? x : NULL;
}

/* False: it is none, contradicts what was told before, or memory is gone. */
static bool take_name(hb_data_cursor *c)
{
	hb_data *d = c->d;
	struct hb__data_thread *t = &d->thread[c->thread];
	uint64_t number = hb__in_uv(&c->in), n = hb__in_uv(&c->in);
	const uint8_t *p = hb__in_bytes(&c->in, n);
	if (!p || number >= HB__NAMES_MOST)
		return false;
	if (!c->scans)
		return true;
	for (; t->names <= number; t->names++) {
		if (!HB_GROW(t->name, t->names_cap, t->names + 1))
			return false;
		t->name[t->names] = NULL;
	}
	char *old = t->name[number];
	if (old)
		return strlen(old) == n && !memcmp(old, p, n);
	char *name = hb__arena_get(&d->arena, n + 1);
	if (!name || !n || memchr(p, 0, n))
		return false;
	memcpy(name, p, n);
	name[n] = 0;
	t->name[number] = name;
	return true;
}

static bool take_pieces(hb_data_cursor *c, uint32_t *ret_n)
{
	struct hb__in *in = &c->in;
	uint64_t n = hb__in_uv(in);
	/* each has two bytes at least */
	if (in->bad || n > (uint64_t)(in->end - in->p) / 2 || !HB_GROW(c->piece, c->pieces_cap, n + 1))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		hb_data_piece *piece = &c->piece[i];
		uint64_t what = hb__in_uv(in);
		*piece = (hb_data_piece){.what = (uint32_t)what, .bytes = hb__in_uv(in)};
		if (in->bad || what > UINT32_MAX)
			return false;
		uint64_t where = piece->bytes ? hb__in_uv(in) : 0;
		if (!where) {
			piece->at = c->at + (uint64_t)(in->p - c->p);
			if (!hb__in_bytes(in, piece->bytes))
				return false;
			continue;
		}
		where--;
		piece->at = c->next + ((where >> 1) ^ (0 - (where & 1)));
		if (in->bad || !hb__data_extent(c->d, piece->at, piece->bytes))
			return false;
		c->next = piece->at + piece->bytes;
	}
	*ret_n = (uint32_t)n;
	return !in->bad;
}

/* One item: 1; 0, it was a name; -1, it makes no sense. */
static int take_item(hb_data_cursor *c, hb_data_item *ret)
{
	struct hb__in *in = &c->in;
	const struct hb__data_thread *t = &c->d->thread[c->thread];
	uint64_t kind = hb__in_uv(in), number = 0;
	if (kind == HB_DATA_NAME)
		return take_name(c) ? 0 : -1;
	if (in->bad || (kind != HB_DATA_EVENT && kind != HB_DATA_CALL))
		return -1;
	if (kind == HB_DATA_CALL)
		number = hb__in_uv(in);
	uint64_t n = hb__in_uv(in);
	bool named = kind == HB_DATA_EVENT || (number < t->names && t->name[number]);
	if (in->bad || !named || n > UINT64_MAX - c->event)
		return -1;
	c->event += n;
	*ret = (hb_data_item){.event = c->event, .name = kind == HB_DATA_CALL ? t->name[number] : NULL};
	if (!take_pieces(c, &ret->pieces))
		return -1;
	ret->piece = c->piece;
	return 1;
}

static hb_status load(hb_data_cursor *c, hb_error *err)
{
	const struct hb__extent *x = &c->d->extent[c->d->thread[c->thread].extent[c->extent]];
	if (!HB_GROW(c->p, c->room, x->valid ? x->valid : 1))
		return hb__fail(err, HB_E_MEMORY, c->d->path, x->at, "out of memory");
	hb_status status = hb__data_bytes(c->d, x->at + HB_DATA_HEAD, x->valid, c->p, err);
	if (status)
		return status;
	c->extent++;
	c->at = x->at + HB_DATA_HEAD;
	c->in = (struct hb__in){c->p, c->p + x->valid, false};
	if (!c->scans) {
		c->event = x->event;
		c->next = x->next;
	}
	return HB_OK;
}

/* ---- the scan ---- */

/* Nothing of the thread from byte `good` of its extent `number` on. */
static void cut(hb_data *d, struct hb__data_thread *t, size_t number, uint64_t good, const char *why)
{
	struct hb__extent *x = &d->extent[t->extent[number]];
	hb__data_trouble(d, x->at + HB_DATA_HEAD + good, "%s: items of a thread end there", why);
	d->info.stored -= x->valid - good;
	x->valid = good;
	for (size_t i = number + 1; i < t->n; i++) {
		d->info.stored -= d->extent[t->extent[i]].valid;
		d->extent[t->extent[i]].valid = 0;
	}
	t->n = number + 1;
}

/* Its items up to the first that makes no sense. */
static hb_status scan(hb_data *d, uint32_t thread, hb_error *err)
{
	struct hb__data_thread *t = &d->thread[thread];
	hb_data_cursor c = {.d = d, .thread = thread, .scans = true};
	hb_status status = HB_OK;
	bool good = true;
	while (good && !status && c.extent < t->n) {
		struct hb__extent *x = &d->extent[t->extent[c.extent]];
		hb_error why = {0};
		x->event = c.event;
		x->next = c.next;
		hb_status loaded = load(&c, &why);
		if (loaded == HB_E_MEMORY)
			status = hb__fail(err, loaded, d->path, x->at, "out of memory");
		else if (loaded)
			cut(d, t, c.extent, 0, why.message);
		good = !loaded;
		while (good && c.in.p < c.in.end) {
			uint64_t before = (uint64_t)(c.in.p - c.p);
			hb_data_item item;
			int kind = take_item(&c, &item);
			good = kind >= 0;
			t->items += kind > 0;
			d->info.items += kind > 0;
			if (!good)
				cut(d, t, c.extent - 1, before, "an item is damaged");
		}
	}
	free(c.p);
	free(c.piece);
	return status;
}

hb_status hb__items_scan(hb_data *d, hb_error *err)
{
	hb_status status = HB_OK;
	for (uint32_t i = 0; i < d->info.threads && !status; i++)
		status = scan(d, i, err);
	return status;
}

/* ---- cursors ---- */

static uint32_t index_of(const hb_data *d, uint64_t thread)
{
	for (uint32_t i = 0; i < d->info.threads; i++)
		if (d->thread[i].id == thread)
			return i;
	return HB_NO;
}

/* Of the thread's extents the one in which the first item of `from` may be: those behind it begin behind an event not before. */
static size_t extent_for(const hb_data *d, const struct hb__data_thread *t, uint64_t from)
{
	size_t low = 0, high = t->n;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (d->extent[t->extent[middle]].event < from)
			low = middle;
		else
			high = middle;
	}
	return low;
}

hb_status hb_data_cursor_open(hb_data *d, uint64_t thread, uint64_t from, hb_data_cursor **ret_cursor, hb_error *err)
{
	if (!d || !ret_cursor)
		return hb__fail(err, HB_E_ARGUMENT, NULL, 0, "no file to read, or nowhere to put the cursor");
	hb_data_cursor *c = calloc(1, sizeof *c);
	*ret_cursor = c;
	if (!c)
		return hb__fail(err, HB_E_MEMORY, d->path, 0, "out of memory");
	c->d = d;
	c->thread = index_of(d, thread);
	c->from = from;
	if (c->thread != HB_NO)
		c->extent = extent_for(d, &d->thread[c->thread], from);
	return HB_OK;
}

int hb_data_cursor_next(hb_data_cursor *c, hb_data_item *ret_item, hb_error *err)
{
	if (c->thread == HB_NO)
		return 0;
	const struct hb__data_thread *t = &c->d->thread[c->thread];
	for (;;) {
		while (c->in.p == c->in.end) {
			if (c->extent >= t->n)
				return 0;
			hb_status status = load(c, err);
			if (status)
				return (int)status;
		}
		int kind = take_item(c, ret_item);
		if (kind < 0)
			return (int)hb__fail(err, HB_E_DAMAGED, c->d->path, c->at + (uint64_t)(c->in.p - c->p),
				"an item is damaged");
		if (kind > 0 && ret_item->event >= c->from)
			return 1;
	}
}

void hb_data_cursor_close(hb_data_cursor *c)
{
	if (!c)
		return;
	free(c->p);
	free(c->piece);
	free(c);
}

/* The cursor of the thread that hb_data_of goes on with: it has given all items of events before `from`. NULL with *ret_status. */
static hb_data_cursor *seek(hb_data *d, uint32_t index, uint64_t event, hb_status *ret_status, hb_error *err)
{
	struct hb__data_thread *t = &d->thread[index];
	if (t->cursor && event >= t->cursor->from)
		return t->cursor;
	hb_data_cursor_close(t->cursor);
	*ret_status = hb_data_cursor_open(d, t->id, event, &t->cursor, err);
	return t->cursor;
}

int hb_data_of(hb_data *d, uint64_t thread, uint64_t event, hb_data_item *ret_item, hb_error *err)
{
	uint32_t index = index_of(d, thread);
	hb_status status = HB_OK;
	*ret_item = (hb_data_item){.event = event};
	hb_data_cursor *c = index == HB_NO ? NULL : seek(d, index, event, &status, err);
	if (!c)
		return (int)status;
	int found = 0, more = 1;
	while (more > 0) {
		more = c->holds ? 1 : hb_data_cursor_next(c, &c->held, err);
		c->holds = more > 0;
		if (more <= 0 || c->held.event > event)
			break;
		c->holds = false;
		if (c->held.event < event || c->held.name)
			continue;
		if (!HB_GROW(d->piece, d->pieces_cap, ret_item->pieces + c->held.pieces + 1))
			return (int)hb__fail(err, HB_E_MEMORY, d->path, 0, "out of memory");
		memcpy(d->piece + ret_item->pieces, c->held.piece, c->held.pieces * sizeof *d->piece);
		ret_item->pieces += c->held.pieces;
		found = 1;
	}
	ret_item->piece = d->piece;
	c->from = event < UINT64_MAX ? event + 1 : event;
	return more < 0 ? more : found;
}

hb_status hb_data_read(hb_data *d, const hb_data_piece *piece, uint64_t offset, uint64_t bytes, void *to, hb_error *err)
{
	if (offset > piece->bytes || bytes > piece->bytes - offset || piece->at > d->end)
		return hb__fail(err, HB_E_ARGUMENT, d->path, piece->at, "the piece has not so many bytes");
	return hb__data_bytes(d, piece->at + offset, bytes, to, err);
}
