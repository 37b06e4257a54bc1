/* What a buffer holds, in sixteen bits. */
#include "capture/core/memory/memory.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/slots/tiny.h"
#include "capture/mpi/track/track.h"

#define WHOLE 4096 /* contents up to this size are digested whole */
#define SHORT 128  /* ... and without a call up to this one */
#define PIECE 1024 /* of longer ones the first, a middle and the last piece */

static void not_readable(const void *p)
{
	static bool noted;
	if (p && !__atomic_exchange_n(&noted, true, __ATOMIC_RELAXED))
		hb__row_note(
			"the contents of memory that only the MPI library can read (GPU memory, perhaps) are not recorded");
}

static bool of_pieces(const uint8_t *b, int64_t bytes, uint64_t *h)
{
	const uint8_t *middle = b + bytes / 2, *last = b + bytes - PIECE;
	if (!hb__readable(b, PIECE) || !hb__readable(middle, PIECE) || !hb__readable(last, PIECE))
		return false;
	*h = hb__hash(b, PIECE, (uint64_t)bytes + *h);
	*h = hb__hash(middle, PIECE, *h);
	*h = hb__hash(last, PIECE, *h);
	return true;
}

static bool of_block(const uint8_t *b, int64_t bytes, uint64_t *h)
{
	if (bytes > WHOLE)
		return of_pieces(b, bytes, h);
	if (!hb__readable(b, (size_t)bytes))
		return false;
	*h = hb__hash(b, (size_t)bytes, *h);
	return true;
}

/* The same as XXH3_64bits, as another function: that one stands below and is to have few bytes alone. */
static __attribute__((noinline)) uint16_t of_short(const void *p, size_t bytes)
{
	return hb__told(XXH3_64bits_withSeed(p, bytes, 0));
}

/* Of more than a short message, or of memory that has to be asked for. Apart, so that the way of short ones saves no registers. */
static __attribute__((noinline)) uint16_t of_any(const void *p, int64_t bytes)
{
	uint64_t h = 0;
	if (likely(bytes <= WHOLE && bytes && hb__readable(p, (size_t)bytes)))
		return hb__told(hb__hash(p, (size_t)bytes, 0));
	if (!bytes || (bytes > WHOLE && of_pieces(p, bytes, &h)))
		return hb__told(h);
	not_readable(p);
	return 0;
}

uint16_t hb__contents(const void *p, int64_t bytes)
{
	uintptr_t first = (uintptr_t)p >> HB__PAGE_BITS, last = ((uintptr_t)p + (size_t)bytes - 1) >> HB__PAGE_BITS;
	if (unlikely((uint64_t)bytes - 1 >= SHORT || first != last || !hb__page_is_known(first)))
		return of_any(p, bytes);
	return likely(bytes <= HB__TINY_MOST) ? hb__told(XXH3_64bits(p, (size_t)bytes)) : of_short(p, (size_t)bytes);
}

uint16_t hb__contents_seen(struct hb__slot *slot, struct hb__seen *seen, const void *p, int64_t bytes)
{
	static const struct hb__seen nothing = {.from = (uintptr_t)1 << 63};
	uint64_t changes = __atomic_load_n(&hb__page_changes, __ATOMIC_ACQUIRE);
	uint16_t check = hb__contents(p, bytes);
	uintptr_t page = (uintptr_t)p >> HB__PAGE_BITS, last = ((uintptr_t)p + (size_t)bytes - 1) >> HB__PAGE_BITS;
	if (bytes < HB__TINY_LEAST || bytes > HB__TINY_MOST || page != last || !hb__page_is_known(page))
		return check;
	if (slot->changes != changes)
		slot->seen = slot->got = nothing;
	slot->changes = changes;
	*seen = (struct hb__seen){.from = page << HB__PAGE_BITS,
		.last = (1u << HB__PAGE_BITS) - (uint32_t)bytes,
		.bytes = (uint32_t)bytes};
	return check;
}

/* ---- collectives ---- */

static int64_t number(const struct hb__call *c, unsigned arg, int i, bool wide)
{
	const void *p = (const void *)c->a[arg];
	return wide ? (int64_t)((const MPI_Count *)p)[i] : ((const int *)p)[i];
}

struct block {
	const uint8_t *at;
	int64_t bytes;
};

/* Block `i`: as arrays say, behind `*behind` bytes where there are no displacements. False: its type has holes. */
static bool block_of(const struct hb__call *c, const struct hb__part *part, int i, int64_t *behind, struct block *ret)
{
	const uint8_t *buf = (const uint8_t *)c->a[part->buf];
	bool wide = c->fn->wide, aints = wide || c->fn->param[part->displs].kind != HB_P_DISPLS;
	int64_t count = part->counts ? number(c, part->counts, i, wide) : 1,
		unit = part->counts ? part->unit : part->bytes;
	*ret = (struct block){buf, 0};
	if (count <= 0)
		return true;
	if (part->types) {
		const struct hb__type *t = hb__type_look((uintptr_t)((const MPI_Datatype *)c->a[part->types])[i]);
		if (!t->dense)
			return false;
		unit = t->size;
	}
	int64_t at = !part->displs ? *behind : number(c, part->displs, i, aints) * (part->types ? 1 : unit);
	*behind += count * unit;
	bool nobodys = i < 64 && part->nobodys >> i & 1;
	*ret = (struct block){buf + at, nobodys ? 0 : count * unit};
	return true;
}

static bool arrays_there(const struct hb__call *c, const struct hb__part *part)
{
	return (!part->counts || c->a[part->counts]) && (!part->displs || c->a[part->displs]) &&
	       (!part->types || c->a[part->types]);
}

static bool one_more(struct block b, int i, uint64_t *h)
{
	if (b.bytes <= 0)
		return true;
	*h += (uint64_t)i + 1;
	return of_block(b.at, b.bytes, h);
}

static __attribute__((noinline)) uint16_t of_blocks(const struct hb__call *c, const struct hb__part *part)
{
	int64_t behind = 0;
	uint64_t h = 0;
	struct block b;
	if (!arrays_there(c, part))
		return 0;
	for (int i = part->first; i < part->first + part->blocks; i++)
		if (!block_of(c, part, i, &behind, &b) || !one_more(b, i, &h))
			return 0;
	return hb__told(h);
}

uint16_t hb__contents_part(const struct hb__call *c, const struct hb__part *part)
{
	const uint8_t *buf = (const uint8_t *)c->a[part->buf];
	return part->blocks ? of_blocks(c, part) : buf ? hb__contents(buf + part->from, part->bytes) : 0;
}

/* ---- collectives that are not over when their call returns ---- */

struct side {
	bool there;
	bool pieces; /* not one */
	unsigned class;
	int first, n;
	struct block *block;
};

struct hb__awaited {
	struct hb__awaited *next;
	struct hb__begun begun;
	struct side in, out;
};

/* Given back here, by the power of two that they have room for; the first block links. */
static struct block *unused_blocks[24];
static struct hb__awaited *unused;
unsigned hb__awaiting;

static void drop_side(struct side *s)
{
	if (!s->block)
		return;
	*(struct block **)s->block = unused_blocks[s->class];
	unused_blocks[s->class] = s->block;
	s->block = NULL;
	s->there = false;
}

/* What the arguments say now: they need not be there when it is over. Under the lock. */
static void keep_side(const struct hb__call *c, const struct hb__part *part, struct side *s)
{
	const uint8_t *buf = (const uint8_t *)c->a[part->buf];
	int64_t behind = 0;
	*s = (struct side){.pieces = part->blocks, .first = part->first, .n = part->blocks ? part->blocks : 1};
	while (1 << s->class < s->n)
		s->class ++;
	if (!buf || !arrays_there(c, part) || s->class >= sizeof unused_blocks / sizeof *unused_blocks)
		return;
	s->block = unused_blocks[s->class];
	if (s->block)
		unused_blocks[s->class] = *(struct block **)s->block;
	else
		s->block = hb__pool(sizeof *s->block << s->class);
	s->there = s->block != NULL;
	if (s->there && !s->pieces)
		s->block[0] = (struct block){buf + part->from, part->bytes};
	for (int i = 0; s->there && s->pieces && i < s->n; i++)
		if (!block_of(c, part, s->first + i, &behind, &s->block[i]))
			drop_side(s);
}

static uint16_t side_now(const struct side *s)
{
	uint64_t h = 0;
	if (!s->pieces)
		return hb__contents(s->block[0].at, s->block[0].bytes);
	for (int i = 0; i < s->n; i++)
		if (!one_more(s->block[i], s->first + i, &h))
			return 0;
	return hb__told(h);
}

void hb__await(struct hb__call *c, struct hb__request *r, const struct hb__part *in, const struct hb__part *out)
{
	hb__track_lock();
	struct hb__awaited *w = unused;
	if (w)
		unused = w->next;
	else
		w = hb__pool(sizeof *w);
	if (w) {
		*w = (struct hb__awaited){.begun = {.fn = c->fn, .event = c->lane->control->events + 1}};
		if (in)
			keep_side(c, in, &w->in);
		if (out)
			keep_side(c, out, &w->out);
	}
	r->awaited = w;
	hb__awaiting += w != NULL;
	hb__track_unlock();
}

uint16_t hb__awaited_now(struct hb__request *r, struct hb__begun *ret)
{
	struct hb__awaited *w = r->awaited;
	*ret = w->begun;
	ret->in = w->in.there ? w->in.block[0].at : NULL;
	ret->out = w->out.there ? w->out.block[0].at : NULL;
	ret->in_bytes = w->in.there ? w->in.block[0].bytes : 0;
	ret->out_bytes = w->out.there ? w->out.block[0].bytes : 0;
	ret->gives = w->in.there;
	ret->gets = w->out.there;
	uint16_t in = w->in.there ? side_now(&w->in) : 0, out = w->out.there ? side_now(&w->out) : 0;
	return ret->gives && ret->gets ? hb__contents_both(in, out) : ret->gives ? in : out;
}

/* Under the lock. */
static void drop(struct hb__request *r)
{
	struct hb__awaited *w = r->awaited;
	drop_side(&w->in);
	drop_side(&w->out);
	w->next = unused;
	unused = w;
	r->awaited = NULL;
	hb__awaiting--;
}

void hb__awaited_drop(struct hb__request *r)
{
	hb__track_lock();
	drop(r);
	hb__track_unlock();
}

void hb__awaited_unsure(struct hb__request *r)
{
	hb__track_lock();
	for (struct hb__request *one = hb__request_first(r->handle); one; one = one->chain)
		if (one->awaited)
			drop(one);
	hb__track_unlock();
}
