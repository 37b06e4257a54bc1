/* Pieces of pending operations by their addresses. The first ones that share no byte with another stand in an array in their order,
 * which is all that most programs need; the others in a tree that random numbers keep flat, each node with the end of what is
 * below it. A program may have a hundred thousand pieces pending, of any length, and end them in any order. */
#include <string.h>

#include "capture/mpi/check/buffers/buffers.h"

struct entry {
	struct entry *left, *right; /* left also links unused ones */
	struct hb__piece piece;
	struct hb__pending *pending;
	uintptr_t end, end_written; /* the highest of this and of all below; of those that are written */
	uint32_t level;             /* random; no higher than that of the one above */
	bool writes;
};
static struct entry *top, *spare; /* under the lock of track/ */

#define FLAT 128u
static struct flat {
	uintptr_t low, high;
	struct hb__pending *pending;
	bool writes;
} flat[FLAT];
static unsigned flats;

/* The first in the array that ends behind the address. */
static unsigned flat_from(uintptr_t low)
{
	unsigned from = 0, to = flats;
	while (from < to) {
		unsigned middle = (from + to) / 2;
		if (flat[middle].high > low)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

/* False: it shares bytes with another, or there is no room. */
static bool flat_add(struct hb__pending *p, const struct hb__piece *piece, bool writes)
{
	unsigned i = flat_from(piece->low);
	if (flats == FLAT || (i < flats && flat[i].low < piece->high))
		return false;
	memmove(&flat[i + 1], &flat[i], (flats - i) * sizeof *flat);
	flat[i] = (struct flat){piece->low, piece->high, p, writes};
	flats++;
	return true;
}

static bool flat_remove(const struct hb__pending *p, const struct hb__piece *piece)
{
	unsigned i = flat_from(piece->low);
	if (i == flats || flat[i].pending != p || flat[i].low != piece->low)
		return false;
	flats--;
	memmove(&flat[i], &flat[i + 1], (flats - i) * sizeof *flat);
	return true;
}

static uint32_t level(void)
{
	static uint64_t x = 0x9e3779b97f4a7c15u;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x >> 32);
}

static uintptr_t most(uintptr_t a, uintptr_t b) { return a > b ? a : b; }

static void sum_up(struct entry *e)
{
	e->end = e->piece.high;
	e->end_written = e->writes ? e->piece.high : 0;
	for (int i = 0; i < 2; i++) {
		const struct entry *below = i ? e->right : e->left;
		if (below) {
			e->end = most(e->end, below->end);
			e->end_written = most(e->end_written, below->end_written);
		}
	}
}

static bool before(const struct entry *a, const struct entry *b)
{
	return a->piece.low != b->piece.low ? a->piece.low < b->piece.low
					    : (uintptr_t)a->pending < (uintptr_t)b->pending;
}

/* Puts x into the tree below *at. */
static void put(struct entry **at, struct entry *x)
{
	struct entry *e = *at;
	if (!e) {
		*at = x;
	} else if (before(x, e)) {
		put(&e->left, x);
		if (e->left->level > e->level) {
			*at = e->left;
			e->left = (*at)->right;
			(*at)->right = e;
		}
	} else {
		put(&e->right, x);
		if (e->right->level > e->level) {
			*at = e->right;
			e->right = (*at)->left;
			(*at)->left = e;
		}
	}
	if (e)
		sum_up(e);
	sum_up(*at);
}

/* One tree of two; all of a come first. */
static struct entry *joined(struct entry *a, struct entry *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->level > b->level)
		a->right = joined(a->right, b);
	else
		b->left = joined(a, b->left);
	struct entry *e = a->level > b->level ? a : b;
	sum_up(e);
	return e;
}

/* Takes one like x out of the tree below *at. */
static struct entry *take(struct entry **at, const struct entry *x)
{
	struct entry *e = *at, *found = e;
	if (!e)
		return NULL;
	if (e->pending == x->pending && e->piece.low == x->piece.low)
		*at = joined(e->left, e->right);
	else
		found = take(before(x, e) ? &e->left : &e->right, x);
	if (*at)
		sum_up(*at);
	return found;
}

bool hb__index_add(struct hb__pending *p, const struct hb__region *r)
{
	for (uint32_t i = 0; i < r->n; i++, hb__attention.pieces++) {
		if (likely(flat_add(p, &r->piece[i], r->writes)))
			continue;
		struct entry *e = spare;
		if (e)
			spare = e->left;
		else if (!(e = hb__pool(sizeof *e)))
			return false;
		*e = (struct entry){.piece = r->piece[i], .pending = p, .level = level(), .writes = r->writes};
		put(&top, e);
	}
	return true;
}

void hb__index_remove(const struct hb__pending *p)
{
	for (uint32_t k = 0; k < p->regions; k++)
		for (uint32_t i = 0; i < p->region[k].n; i++) {
			if (likely(flat_remove(p, &p->region[k].piece[i]))) {
				hb__attention.pieces--;
				continue;
			}
			const struct entry like = {
				.piece = p->region[k].piece[i], .pending = (struct hb__pending *)(uintptr_t)p};
			struct entry *e = take(&top, &like);
			if (!e)
				continue;
			e->left = spare;
			spare = e;
			hb__attention.pieces--;
		}
}

/* The first piece that conflicts with the one given. */
static const struct entry *conflict(const struct entry *e, const struct hb__piece *piece, bool writes)
{
	if (!e || (writes ? e->end : e->end_written) <= piece->low)
		return NULL;
	const struct entry *found = conflict(e->left, piece, writes);
	if (found || e->piece.low >= piece->high)
		return found;
	if (e->piece.high > piece->low && (e->writes || writes))
		return e;
	return conflict(e->right, piece, writes);
}

struct hb__pending *hb__index_conflict(const struct hb__region *r, uintptr_t *ret_low, uintptr_t *ret_high)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const struct hb__piece *piece = &r->piece[i];
		unsigned k = flat_from(piece->low);
		while (k < flats && flat[k].low < piece->high && !(flat[k].writes || r->writes))
			k++;
		bool found = k < flats && flat[k].low < piece->high;
		const struct entry *e = found ? NULL : conflict(top, piece, r->writes);
		if (!found && !e)
			continue;
		const struct hb__piece other = found ? (struct hb__piece){flat[k].low, flat[k].high} : e->piece;
		*ret_low = most(other.low, piece->low);
		*ret_high = other.high < piece->high ? other.high : piece->high;
		return found ? flat[k].pending : e->pending;
	}
	return NULL;
}
