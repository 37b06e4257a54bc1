/* Checksums of the arrays of a construct, at its end. */
#include <string.h>

#include "capture/accesses/front/front.h"

#define TILE_BYTES (23 * 8)

_Static_assert(sizeof(hb_tile) == TILE_BYTES, "as hbdb-trace(5) has it");
_Static_assert(HB_TILES_MOST *(TILE_BYTES + 2) + 4 * HB__UV <= HB__RECORD_MOST, "it is one record");

static uint8_t *put_head(uint8_t *w, uint64_t number, unsigned access, unsigned state)
{
	w = hb__uv(w, HB_TRACE_CHECKED);
	w = hb__uv(w, number);
	w = hb__uv(w, access);
	return hb__uv(w, state);
}

static void put_without(struct hb__thread *t, uint64_t number, unsigned access, unsigned state)
{
	if (!hb__put_begin(t, 5 * HB__UV, true))
		return;
	uint8_t *w = put_head(t->w, number, access, state);
	t->w = state == HB_CHECKSUM_FINE ? hb__uv(w, 0) : w;
	hb__put_done(t);
}

static void put_tiles(struct hb__thread *t, uint64_t number, unsigned access, const hb_tile *tile, const bool *touched,
	uint32_t tiles)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < tiles; i++)
		n += touched[i];
	if (!hb__put_begin(t, HB__RECORD_MOST, true))
		return;
	uint8_t *w = hb__uv(put_head(t->w, number, access, HB_CHECKSUM_FINE), n);
	for (uint32_t i = 0; i < tiles; i++) {
		if (!touched[i])
			continue;
		w = hb__uv(w, i);
		memcpy(w, &tile[i], TILE_BYTES);
		w += TILE_BYTES;
	}
	t->w = w;
	hb__put_done(t);
}

/* A checksum costs some 2 ns an element; to see that nothing has changed costs a tenth of that. */
struct hb__summed {
	uint64_t digest; /* of the whole storage */
	hb_array as;     /* what it was made of; its name is not looked at */
	hb_tile tile[HB_TILES_MOST];
	bool touched[HB_TILES_MOST];
};

static bool same_description(const hb_array *a, const hb_array *b)
{
	return a->at == b->at && a->type == b->type && a->rank == b->rank && a->columns == b->columns &&
	       !memcmp(a->global, b->global, sizeof a->global) && !memcmp(a->first, b->first, sizeof a->first) &&
	       !memcmp(a->count, b->count, sizeof a->count) && !memcmp(a->below, b->below, sizeof a->below) &&
	       !memcmp(a->above, b->above, sizeof a->above) && !memcmp(a->block, b->block, sizeof a->block) &&
	       !memcmp(a->over, b->over, sizeof a->over) && !memcmp(a->place, b->place, sizeof a->place);
}

/* The tiles of an array as it is now; NULL: it makes no sense, or there is no memory for them. */
static const struct hb__summed *summed(struct hb__array *a, const hb_tiling *tiling)
{
	struct hb__summed *s = a->summed;
	uint64_t digest = hb__door->hash(a->as.at, a->high - a->low, 0);
	if (s && s->digest == digest && same_description(&s->as, &a->as))
		return s;
	if (!s && !(s = a->summed = hb__trace_pages(sizeof *s)))
		return NULL;
	s->as = (hb_array){0}; /* nothing is */
	if (!hb_tiles_of_array(&a->as, tiling, s->tile, s->touched))
		return NULL;
	s->digest = digest;
	s->as = a->as;
	return s;
}

static void sum(struct hb__thread *t, struct hb__array *a, unsigned access)
{
	hb_tiling tiling;
	const struct hb__summed *s;
	uint64_t number = hb__array_number(t, a);
	if (hb__wanted.dry)
		put_without(t, number, access, HB_CHECKSUM_FINE);
	else if (a->strange || !hb_tiling_make(a->as.rank, a->as.columns, a->as.global, &tiling))
		put_without(t, number, access, HB_CHECKSUM_STRANGE);
	else if (a->high > a->low && !hb__may_read(a->as.at, a->high - a->low))
		put_without(t, number, access, HB_CHECKSUM_UNREADABLE);
	else if (!(s = summed(a, &tiling)))
		put_without(t, number, access, HB_CHECKSUM_STRANGE);
	else
		put_tiles(t, number, access, s->tile, s->touched, tiling.tiles);
}

/* Those that the settings tell. */
static void told(struct hb__thread *t, const hb_construct_wanted *wanted)
{
	for (size_t i = 0; i < wanted->arrays; i++) {
		const hb_array_wanted *w = &wanted->array[i];
		if (!(w->access & HB_ACCESS_WRITE) && !hb__wanted.checksum_accessed)
			continue;
		struct hb__array *a = hb__array_named(&w->id);
		if (a)
			sum(t, a, w->access);
		else
			put_without(t, hb__array_missing(t, &w->id), w->access, HB_CHECKSUM_GONE);
	}
}

static bool asked(unsigned access) { return access & HB_ACCESS_WRITE || (access && hb__wanted.checksum_accessed); }

/* Those that were touched where accesses are seen; else all that are registered. Of a registered array that others have parts of nobody knows
 * what these touched: it is summed as well. */
static void seen(struct hb__thread *t)
{
	bool all = !hb__watcher.present || hb__file_size() != 1;
	for (struct hb__array *a = hb__arrays_all(); a; a = a->next)
		if (all || asked(a->touched))
			sum(t, a, a->touched);
	for (struct hb__array *a = hb__arrays_touched(); a; a = a->touched_next)
		if (a->flags & HB_TRACE_ARRAY_OWN && !a->gone && asked(a->touched))
			sum(t, a, a->touched);
}

void hb__checksums(struct hb__thread *t, const struct hb__open *open)
{
	const struct hb__construct *c = open->construct;
	if (!hb__details || (c->level != HB_TRACE_CHECKSUM && !hb__wanted.dry))
		return;
	uint8_t before = hb__door->aside();
	if (c->wanted && c->wanted->knows_arrays && !hb__wanted.dry)
		told(t, c->wanted);
	else
		seen(t);
	hb__door->back(before);
}
