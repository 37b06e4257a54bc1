/* Halos: what is received on a Cartesian communicator is put at the edges of an array's storage. How wide they are follows from where it is put;
 * which dimension of the array is cut along which one of the communicator, from where it comes from; what the process owns is the rest. How
 * much all of them own nobody has told: it is taken for as much as this one does, until they have told each other. hbdb compare sees what all of
 * them have, and takes the array for distributed only where that fits together (src/model/points). */
#include <string.h>

#include "capture/accesses/told/told.h"

#define MOST 256u  /* storages; those beyond are of their processes alone */
#define PIECES 16u /* that wait for the length of a row */

enum { OPEN = -1 }; /* a dimension that is cut along none that is known */

struct piece {
	int64_t from, length;
	int toward[HB__SPREAD_DIMENSIONS];
};

static struct storage {
	uintptr_t low;
	hb_element type;
	unsigned rank; /* 0: nothing but pieces so far */
	bool columns, bad;
	int64_t size[HB_DIMENSIONS], below[HB_DIMENSIONS], above[HB_DIMENSIONS];
	bool low_told[HB_DIMENSIONS], high_told[HB_DIMENSIONS];
	int along[HB_DIMENSIONS];
	struct piece piece[PIECES];
	unsigned pieces;
	unsigned dimensions; /* of the grid */
	int64_t processes[HB_DIMENSIONS], place[HB_DIMENSIONS];
	int cut[HB_DIMENSIONS]; /* of each dimension: along which one of the grid, with what follows from others */
	bool whole;             /* what all processes said made one array of these extents: */
	int64_t own[HB_DIMENSIONS], global[HB_DIMENSIONS], first[HB_DIMENSIONS];
	struct hb__array *array; /* that was told last */
} storages[MOST];
static unsigned n_storages;

static struct storage *storage_of(uintptr_t low, hb_element type)
{
	struct storage *s = NULL;
	for (unsigned i = 0; i < n_storages && !s; i++)
		if (storages[i].low == low)
			s = &storages[i];
	bool fresh = !s || (s->array && s->array->gone) || s->type != type;
	if (!s && n_storages < MOST)
		s = &storages[n_storages++];
	if (s && fresh)
		*s = (struct storage){.low = low, .type = type};
	return s;
}

/* ---- what a piece at an edge tells ---- */

static void shape(struct storage *s, unsigned rank, bool columns, const int64_t *size)
{
	if (s->rank) {
		s->bad = s->bad || s->rank != rank || s->columns != columns ||
			 memcmp(s->size, size, rank * sizeof *size);
		return;
	}
	s->rank = rank;
	s->columns = columns;
	memcpy(s->size, size, rank * sizeof *size);
	for (unsigned d = 0; d < rank; d++)
		s->along[d] = OPEN;
}

/* The one dimension of the communicator in which the sender is elsewhere; OPEN: none, or several. */
static int direction(const int *toward, int *ret_way)
{
	int found = OPEN;
	for (int d = 0; d < HB__SPREAD_DIMENSIONS; d++)
		if (toward[d]) {
			if (found != OPEN)
				return OPEN;
			found = d;
			*ret_way = toward[d];
		}
	return found;
}

static void edge(struct storage *s, const int64_t *start, const int64_t *count, const int *toward)
{
	unsigned edges = 0, d = 0;
	for (unsigned i = 0; i < s->rank; i++) {
		bool whole = count[i] >= s->size[i], low = start[i] == 0, high = start[i] + count[i] == s->size[i];
		if (whole || (!low && !high))
			continue;
		edges++;
		d = i;
		if (low && count[i] > s->below[i])
			s->below[i] = count[i];
		if (high && count[i] > s->above[i])
			s->above[i] = count[i];
		s->low_told[i] |= low;
		s->high_told[i] |= high;
	}
	int way = 0, along = edges == 1 ? direction(toward, &way) : OPEN;
	if (along == OPEN)
		return;
	/* the halo of the other side, or cut along two */
	s->bad = s->bad || (way == (start[d] == 0 ? 1 : -1)) || way == 3 ||
		 (s->along[d] != OPEN && s->along[d] != along);
	s->along[d] = along;
}

/* Elements next to each other, in a storage whose rows are known. */
static void piece(struct storage *s, const struct piece *p)
{
	int64_t row = s->size[s->rank - 1], start[2] = {0, p->from}, count[2] = {1, p->length};
	if (s->rank == 2) {
		start[0] = p->from / row;
		start[1] = p->from % row;
		bool rows = !start[1] && p->length % row == 0;
		count[0] = rows ? p->length / row : 1;
		count[1] = rows ? row : p->length;
		if (start[1] + count[1] > row)
			return;
		edge(s, start, count, p->toward);
	} else if (s->rank == 1)
		edge(s, start + 1, count + 1, p->toward);
}

static void pieces(struct storage *s, const struct hb__spread_halo *h, const struct hb__memory *m, int64_t n)
{
	int64_t from = (int64_t)(((uintptr_t)h->at - m->low) / hb_element_bytes(s->type));
	if (h->blocks > 1) {
		int64_t size[2] = {n / h->stride, h->stride}, start[2] = {from / h->stride, from % h->stride},
			count[2] = {h->blocks, h->length};
		if (n % h->stride || start[1] + count[1] > size[1] || start[0] + count[0] > size[0]) {
			s->bad = true;
			return;
		}
		shape(s, 2, false, size);
		if (!s->bad)
			edge(s, start, count, h->toward);
		for (unsigned i = 0; i < s->pieces && !s->bad; i++)
			piece(s, &s->piece[i]);
		s->pieces = 0;
		return;
	}
	struct piece one = {.from = from, .length = h->length};
	memcpy(one.toward, h->toward, sizeof one.toward);
	if (!s->rank && h->dimensions == 1)
		shape(s, 1, false, &n);
	if (s->rank)
		piece(s, &one);
	else if (s->pieces < PIECES)
		s->piece[s->pieces++] = one;
}

/* ---- what follows ---- */

static bool is_used(const int *along, unsigned rank, int dimension)
{
	for (unsigned d = 0; d < rank; d++)
		if (along[d] == dimension)
			return true;
	return false;
}

/* Which dimensions are cut along which ones of the communicator. Where senders did not tell, they are in one order. False: not known. */
static bool cuts(struct storage *s)
{
	int *along = s->cut;
	memcpy(along, s->along, sizeof s->along);
	for (unsigned d = 0; d < s->rank && s->rank == s->dimensions; d++)
		if (along[d] == OPEN && (s->low_told[d] || s->high_told[d]) && !is_used(along, s->rank, (int)d))
			along[d] = (int)d;
	for (unsigned c = 0; c < s->dimensions; c++)
		if (s->processes[c] > 1 && !is_used(along, s->rank, (int)c))
			return false;
	return true;
}

/* At a border of the grid some programs receive nothing: the halo there is as wide as the other one. */
static void borders(const struct storage *s, unsigned d, hb_array *as)
{
	int along = s->cut[d];
	as->below[d] = s->below[d];
	as->above[d] = s->above[d];
	if (along == OPEN)
		return;
	if (!s->low_told[d] && s->high_told[d] && s->place[along] == 0)
		as->below[d] = s->above[d];
	if (!s->high_told[d] && s->low_told[d] && s->place[along] == s->processes[along] - 1)
		as->above[d] = s->below[d];
}

static bool describe(struct storage *s, hb_array *as)
{
	*as = (hb_array){.at = (const void *)s->low, .type = s->type, .rank = s->rank, .columns = s->columns};
	if (s->bad || !s->rank || !cuts(s))
		return false;
	for (unsigned d = 0; d < s->rank; d++) {
		int along = s->cut[d];
		borders(s, d, as);
		as->count[d] = s->size[d] - as->below[d] - as->above[d];
		as->global[d] = as->count[d] * (along == OPEN ? 1 : s->processes[along]);
		as->first[d] = as->count[d] * (along == OPEN ? 0 : s->place[along]);
		if (as->count[d] < 1)
			return false;
	}
	if (s->whole && !memcmp(s->own, as->count, sizeof s->own)) {
		memcpy(as->global, s->global, sizeof as->global);
		memcpy(as->first, s->first, sizeof as->first);
	}
	return true;
}

void hb__told_halo(struct hb__thread *t, const struct hb__spread_halo *h, const void *pc)
{
	hb_element type;
	struct hb__memory m;
	hb_array as;
	if (!hb__told_element(&h->element, &type))
		return;
	hb__memory_of(h->at, pc, &m);
	bool boxed = h->rank != 0;
	if (!boxed && (!m.bytes || m.bytes % hb_element_bytes(type)))
		return; /* where its storage ends is not known */
	struct storage *s = storage_of(boxed ? (uintptr_t)h->at : m.low, type);
	if (!s)
		return;
	if (boxed) {
		shape(s, h->rank, h->columns, h->sizes);
		if (!s->bad)
			edge(s, h->start, h->count, h->toward);
	} else
		pieces(s, h, &m, (int64_t)(m.bytes / hb_element_bytes(type)));
	s->dimensions = h->dimensions;
	memcpy(s->processes, h->processes, sizeof s->processes);
	memcpy(s->place, h->place, sizeof s->place);
	struct hb__array *known = hb__array_told_at((const void *)s->low);
	if (!describe(s, &as) || (known && known == s->array && hb__same_array(&known->as, &as)))
		return;
	struct hb__array *a = hb__array_becomes(t, &as, &m);
	s->array = a ? a : s->array;
}

/* ---- what all of them say ---- */

static uint64_t key_of(const struct hb__array *a)
{
	uint64_t h = (uint64_t)a->as.type << 48 | (uint64_t)a->id.ordinal << 24 | a->id.line;
	for (const char *p = a->id.name; *p; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3u;
	for (const char *p = a->id.file; *p; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3u;
	return h;
}

static void say(struct storage *s, struct hb__spread_said *ret)
{
	*ret = (struct hb__spread_said){.key = key_of(s->array), .rank = s->rank, .members = 1};
	for (unsigned c = 0; c < s->dimensions; c++)
		ret->members *= (uint32_t)s->processes[c];
	for (unsigned d = 0; d < s->rank; d++) {
		ret->along[d] = s->cut[d];
		ret->own[d] = s->array->as.count[d];
		ret->place[d] = s->cut[d] == OPEN ? 0 : s->place[s->cut[d]];
	}
}

/* Of which the whole is not known yet. */
static struct storage *next_open(unsigned *at)
{
	while (*at < n_storages) {
		struct storage *s = &storages[(*at)++];
		bool told = s->array && !s->array->gone && s->array->flags & HB_TRACE_ARRAY_TOLD && !s->bad;
		if (told && !s->whole)
			return s;
	}
	return NULL;
}

void hb__halos_say(struct hb__spread_saying *ret)
{
	unsigned at = 0;
	struct storage *s;
	for (ret->n = 0; ret->n < HB__SPREAD_SAID && (s = next_open(&at)) != NULL;)
		say(s, &ret->said[ret->n++]);
}

void hb__halos_said(struct hb__thread *t, const struct hb__spread_saying *saying, uint32_t processes)
{
	unsigned at = 0;
	for (struct storage *s; (s = next_open(&at)) != NULL;) {
		struct hb__spread_said mine;
		struct hb__memory m;
		hb_array as;
		say(s, &mine);
		s->whole = hb__whole_of(saying, processes, &mine, s->global, s->first);
		if (!s->whole)
			continue;
		memset(s->own, 0, sizeof s->own);
		memcpy(s->own, mine.own, sizeof mine.own);
		hb__memory_of((const void *)s->low, NULL, &m);
		if (describe(s, &as) && !hb__same_array(&s->array->as, &as)) {
			struct hb__array *a = hb__array_becomes(t, &as, &m);
			s->array = a ? a : s->array;
		}
	}
}
