/* Where contents lie: pieces of memory, of one datatype each. What has no holes is copied, the rest goes through the library's own packing,
 * whose result is the elements in the order of the type map: the same in both libraries. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/core/memory/memory.h"
#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"

#define AT_ONCE (1 << 28) /* bytes packed by one call, whose counts are int */

static const struct hb__place *place_at(const struct hb__places *p, unsigned i)
{
	return p->place ? &p->place[i] : &p->one;
}

static void place_fill(struct hb__place *p, uint8_t *at, int64_t count, uintptr_t type)
{
	const struct hb__type *t = hb__type_look(type);
	*p = (struct hb__place){.at = at,
		.count = count > 0 && t->size > 0 ? count : 0,
		.unit = t->size > 0 ? t->size : 0,
		.type = (MPI_Datatype)type,
		.holes = !t->dense};
}

void hb__places_of_buffer(uintptr_t buf, int64_t count, uintptr_t type, struct hb__places *ret)
{
	*ret = (struct hb__places){.n = 1};
	place_fill(&ret->one, (uint8_t *)buf, count, type);
	ret->bytes = ret->one.count * ret->one.unit;
	ret->n = ret->bytes > 0;
}

void hb__places_of_message(struct hb__call *c, struct hb__places *ret)
{
	*ret = (struct hb__places){.n = 0};
	bool null = hb__has(c, HB_R_SOURCE) && (int)hb__arg(c, HB_R_SOURCE) == MPI_PROC_NULL;
	if (null || !hb__has(c, HB_R_RBUF))
		return;
	if (c->fn->means->does == HB_DOES_PARTITIONED) { /* buffer, partitions, elements of each, datatype */
		hb__places_of_buffer(c->a[0], (int)c->a[1] * (int64_t)c->a[2], c->a[3], ret);
		return;
	}
	int64_t count = c->fn->wide ? (int64_t)hb__arg(c, HB_R_LAST_COUNT) : (int)hb__arg(c, HB_R_LAST_COUNT);
	hb__places_of_buffer(hb__arg(c, HB_R_RBUF), count, hb__arg(c, HB_R_LAST_TYPE), ret);
	/* how much came is not known where the status does not say it: then it is all that there was room for */
	bool later = c->fn->flags & HB_NONBLOCKING && hb__has(c, HB_R_DEST);
	ret->message = !(later && hb__known.sendrecv_untold);
}

static int64_t number(const struct hb__call *c, unsigned arg, int i, bool wide)
{
	const void *p = (const void *)c->a[arg];
	return wide ? (int64_t)((const MPI_Count *)p)[i] : ((const int *)p)[i];
}

static int64_t extent_of(uintptr_t type)
{
	MPI_Count lb = 0, extent = 0;
	PMPI(Type_get_extent_x)((MPI_Datatype)type, &lb, &extent);
	return extent;
}

/* Block i of a collective's side, behind `*behind` elements where nothing says where it begins. */
static void block_of(struct hb__call *c, const struct hb__part *part, int i, int64_t *behind, struct hb__place *ret)
{
	uint8_t *buf = (uint8_t *)c->a[part->buf];
	bool wide = c->fn->wide, aints = wide || c->fn->param[part->displs].kind != HB_P_DISPLS;
	uintptr_t type = part->types ? (uintptr_t)((const MPI_Datatype *)c->a[part->types])[i] : c->a[part->type];
	int64_t count = part->counts ? number(c, part->counts, i, wide)
			: wide       ? (int64_t)c->a[part->count]
				     : (int)c->a[part->count];
	int64_t at = part->displs ? number(c, part->displs, i, aints) : *behind;
	if (i < 64 && part->nobodys >> i & 1)
		place_fill(ret, buf, 0, type);
	else
		place_fill(ret, buf + at * (part->types ? 1 : extent_of(type)), count, type);
	*behind += count;
}

/* Without arrays: one piece, or as many alike as there are processes. */
static void places_in_a_row(struct hb__call *c, const struct hb__part *part, struct hb__places *ret)
{
	int64_t count = c->fn->wide ? (int64_t)c->a[part->count] : (int)c->a[part->count];
	int64_t first = part->first * count * extent_of(c->a[part->type]);
	hb__places_of_buffer(c->a[part->buf] + (uintptr_t)first, count * part->times, c->a[part->type], ret);
}

void hb__places_of_part(struct hb__call *c, const struct hb__part *part, struct hb__places *ret)
{
	int64_t behind = 0;
	*ret = (struct hb__places){.n = 0};
	if (!part->there && !part->holes)
		return;
	if (!part->blocks) {
		places_in_a_row(c, part, ret);
		return;
	}
	ret->place = hb__scratch(c->lane, sizeof *ret->place * (size_t)part->blocks);
	if (!ret->place || (part->counts && !c->a[part->counts]) || (part->types && !c->a[part->types]))
		return;
	ret->n = (unsigned)part->blocks;
	for (int i = 0; i < part->blocks; i++) {
		block_of(c, part, part->first + i, &behind, &ret->place[i]);
		ret->bytes += ret->place[i].count * ret->place[i].unit;
	}
}

bool hb__places_keep(struct hb__places *p)
{
	if (p->place) {
		struct hb__place *own = hb__pages(p->n * sizeof *own);
		if (!own)
			return false;
		memcpy(own, p->place, p->n * sizeof *own);
		p->place = own;
	}
	for (unsigned i = 0; i < p->n; i++) {
		struct hb__place *at = p->place ? &p->place[i] : &p->one;
		bool given = hb__type_look((uintptr_t)at->type)->number < HB__DERIVED;
		if (at->holes && at->count && !given)
			at->own_type = PMPI(Type_dup)(at->type, &at->type) == MPI_SUCCESS;
	}
	return true;
}

void hb__places_drop(struct hb__places *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct hb__place *at = p->place ? &p->place[i] : &p->one;
		if (at->own_type)
			PMPI(Type_free)(&at->type);
	}
	if (p->place)
		munmap(p->place, p->n * sizeof *p->place);
	*p = (struct hb__places){.n = 0};
}

/* ---- in and out ---- */

/* What the library packs from or unpacks to. */
struct packed {
	uint8_t *at;
	MPI_Datatype type;
	bool own_type;
};

/* Absolute addresses begin at MPI_BOTTOM, which some do not take here: they get the address of the first byte, and a datatype that lies
 * as far before it. */
static bool packed_of(const struct hb__place *p, int64_t from, struct packed *ret)
{
	*ret = (struct packed){.at = p->at + from * extent_of((uintptr_t)p->type), .type = p->type};
	if (ret->at)
		return true;
	int one = 1;
	MPI_Aint lb = 0, extent = 0, back;
	MPI_Datatype moved;
	PMPI(Type_get_true_extent)(p->type, &lb, &extent);
	back = -lb;
	if (PMPI(Type_create_hindexed)(1, &one, &back, p->type, &moved) != MPI_SUCCESS)
		return false;
	*ret = (struct packed){.at = (uint8_t *)lb, .type = moved, .own_type = true};
	return PMPI(Type_commit)(&ret->type) == MPI_SUCCESS;
}

static void packed_over(struct packed *what)
{
	if (what->own_type)
		PMPI(Type_free)(&what->type);
}

/* The elements from `from` on, n of them, packed; to: room for all their bytes. */
static bool pack(const struct hb__place *p, int64_t from, int64_t n, uint8_t *to)
{
	struct packed what;
	int at = 0;
	bool good = packed_of(p, from, &what) && PMPI(Pack)(what.at, (int)n, what.type, to, (int)(n * p->unit), &at,
							 hb__known.comm_self) == MPI_SUCCESS;
	packed_over(&what);
	return good && at == n * p->unit;
}

static void unpack(const struct hb__place *p, int64_t from, int64_t n, const uint8_t *bytes)
{
	struct packed what;
	int at = 0;
	if (packed_of(p, from, &what))
		PMPI(Unpack)
	((void *)bytes, (int)(n * p->unit), &at, what.at, (int)n, what.type, hb__known.comm_self);
	packed_over(&what);
}

/* An element of which only the first bytes came. Its rest may lie outside of the program's buffer, so it is not touched where the datatype
 * can be listed; else it is packed as a whole, where all of it can be read. */
static bool part_of_element(const struct hb__place *p, int64_t element, int64_t bytes, uint8_t *to, const uint8_t *from)
{
	struct hb__typemap *map = hb__typemap_of_copy(p->type);
	uint8_t *at = map ? p->at + element * map->extent : NULL;
	bool good = map != NULL, listed = good && map->exact;
	uint8_t *room = good && !listed ? hb__pages((size_t)p->unit) : NULL;
	if (listed)
		good = hb__part_by_map(map, at, bytes, to, from);
	else
		good = room && hb__readable(at + map->true_lb, (size_t)map->true_extent) && pack(p, element, 1, room);
	if (room && good && to)
		memcpy(to, room, (size_t)bytes);
	if (room && good && from) {
		memcpy(room, from, (size_t)bytes);
		unpack(p, element, 1, room);
	}
	if (room)
		munmap(room, (size_t)p->unit);
	free(map);
	return good;
}

/* One place; to: where its bytes go, or from: where they come from. */
static bool move(const struct hb__place *p, int64_t bytes, uint8_t *to, const uint8_t *from)
{
	if (!p->holes) {
		if (to && !hb__readable(p->at, (size_t)bytes))
			return false;
		memcpy(to ? to : p->at, to ? p->at : from, (size_t)bytes);
		return true;
	}
	int64_t whole = bytes / p->unit, most = AT_ONCE / p->unit > 0 ? AT_ONCE / p->unit : 1;
	for (int64_t i = 0, n; i < whole; i += n) {
		n = whole - i < most ? whole - i : most;
		if (to && !pack(p, i, n, to + i * p->unit))
			return false;
		if (from)
			unpack(p, i, n, from + i * p->unit);
	}
	int64_t done = whole * p->unit;
	return done == bytes ||
	       part_of_element(p, whole, bytes - done, to ? to + done : NULL, from ? from + done : NULL);
}

static bool move_all(const struct hb__places *places, int64_t bytes, uint8_t *to, const uint8_t *from)
{
	for (unsigned i = 0; i < places->n && bytes > 0; i++) {
		const struct hb__place *p = place_at(places, i);
		int64_t here = p->count * p->unit;
		here = here < bytes ? here : bytes;
		if (here && !move(p, here, to, from))
			return false;
		to = to ? to + here : NULL;
		from = from ? from + here : NULL;
		bytes -= here;
	}
	return true;
}

bool hb__places_read(const struct hb__places *places, int64_t bytes, uint8_t *to)
{
	return move_all(places, bytes, to, NULL);
}

void hb__places_write(const struct hb__places *places, int64_t bytes, const uint8_t *from)
{
	move_all(places, bytes, NULL, from);
}
