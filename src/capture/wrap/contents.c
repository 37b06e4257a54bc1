/* What a buffer holds, in sixteen bits. */
#include "capture/memory/memory.h"
#include "capture/wrap/step.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define WHOLE 4096 /* contents up to this size are digested whole */
#define PIECE 1024 /* of longer ones the first, a middle and the last piece */

/* 0 is kept for what is not known. */
static inline uint16_t told(uint64_t h)
{
	uint16_t check = (uint16_t)h;
	return check ? check : 1;
}

static void not_readable(const void *p)
{
	static bool told;
	if (p && !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		hb__row_note(
			"contents in memory that only the MPI library can read (of a device, perhaps) are not recorded");
}

static bool of_pieces(const uint8_t *b, int64_t bytes, uint64_t *h)
{
	const uint8_t *middle = b + bytes / 2, *last = b + bytes - PIECE;
	if (!hb__readable(b, PIECE) || !hb__readable(middle, PIECE) || !hb__readable(last, PIECE))
		return false;
	*h = XXH3_64bits_withSeed(b, PIECE, (uint64_t)bytes + *h);
	*h = XXH3_64bits_withSeed(middle, PIECE, *h);
	*h = XXH3_64bits_withSeed(last, PIECE, *h);
	return true;
}

static bool of_block(const uint8_t *b, int64_t bytes, uint64_t *h)
{
	if (bytes > WHOLE)
		return of_pieces(b, bytes, h);
	if (!hb__readable(b, (size_t)bytes))
		return false;
	*h = XXH3_64bits_withSeed(b, (size_t)bytes, *h);
	return true;
}

static __attribute__((noinline)) uint16_t of_many(const void *p, int64_t bytes)
{
	uint64_t h = 0;
	if (!bytes || (bytes > WHOLE && of_pieces(p, bytes, &h)))
		return told(h);
	not_readable(p);
	return 0;
}

uint16_t hb__contents(const void *p, int64_t bytes)
{
	if (unlikely(bytes > WHOLE || !hb__readable(p, (size_t)bytes)))
		return of_many(p, bytes);
	return told(XXH3_64bits(p, (size_t)bytes));
}

/* ---- collectives ---- */

static int64_t number(const struct hb__call *c, unsigned arg, int i, bool wide)
{
	const void *p = (const void *)c->a[arg];
	return wide ? (int64_t)((const MPI_Count *)p)[i] : ((const int *)p)[i];
}

/* Blocks as arrays say, one behind the other where there are no displacements. */
static __attribute__((noinline)) uint16_t of_blocks(const struct hb__call *c, const struct hb__part *part)
{
	const uint8_t *buf = (const uint8_t *)c->a[part->buf];
	bool wide = c->fn->wide, aints = wide || c->fn->param[part->displs].kind == HB_P_AINTS;
	int64_t behind = 0;
	uint64_t h = 0;
	if (!c->a[part->counts] || (part->displs && !c->a[part->displs]) || (part->types && !c->a[part->types]))
		return 0;
	for (int i = part->first; i < part->first + part->blocks; i++) {
		int64_t count = number(c, part->counts, i, wide), unit = part->unit;
		if (count <= 0)
			continue;
		if (part->types) {
			const struct hb__type *t =
				hb__type_look((uintptr_t)((const MPI_Datatype *)c->a[part->types])[i]);
			if (!t->dense)
				return 0;
			unit = t->size;
		}
		int64_t at = !part->displs ? behind : number(c, part->displs, i, aints) * (part->types ? 1 : unit);
		h += (uint64_t)i + 1;
		if (!of_block(buf + at, count * unit, &h))
			return 0;
		behind += count * unit;
	}
	return told(h);
}

uint16_t hb__contents_part(const struct hb__call *c, const struct hb__part *part)
{
	const uint8_t *buf = (const uint8_t *)c->a[part->buf];
	return part->blocks ? of_blocks(c, part) : buf ? hb__contents(buf + part->from, part->bytes) : 0;
}
