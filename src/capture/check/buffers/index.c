/* Pieces of pending operations in the order of their addresses. Few are pending mostly, so an array is quick. */
#include <string.h>
#include <sys/mman.h>

#include "capture/check/buffers/buffers.h"

static struct entry {
	struct hb__piece piece;
	struct hb__pending *pending;
	bool writes;
} * entry;
static size_t held, room; /* names that a program has hardly: gdb finds them, too */
static uintptr_t longest; /* of the pieces since it was empty */

#define MOST ((size_t)1 << 20)

bool hb__index_empty(void) { return !held; }

static bool grow(void)
{
	size_t more = room ? 2 * room : 4096 / sizeof *entry;
	struct entry *e = more <= MOST ? hb__pages(more * sizeof *e) : NULL;
	if (!e)
		return false;
	if (entry) {
		memcpy(e, entry, held * sizeof *e);
		munmap(entry, room * sizeof *e);
	}
	entry = e;
	room = more;
	return true;
}

/* The first entry that begins at `low` or behind it. */
static size_t first_from(uintptr_t low)
{
	size_t from = 0, to = held;
	while (from < to) {
		size_t middle = (from + to) / 2;
		if (entry[middle].piece.low < low)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool hb__index_add(struct hb__pending *p, const struct hb__region *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		if (held == room && !grow())
			return false;
		struct hb__piece piece = r->piece[i];
		size_t at = first_from(piece.low);
		memmove(&entry[at + 1], &entry[at], (held - at) * sizeof *entry);
		entry[at] = (struct entry){piece, p, r->writes};
		longest = piece.high - piece.low > longest ? piece.high - piece.low : longest;
		held++;
	}
	return true;
}

void hb__index_remove(const struct hb__pending *p)
{
	for (uint32_t k = 0; k < p->regions; k++)
		for (uint32_t i = 0; i < p->region[k].n; i++) {
			size_t at = first_from(p->region[k].piece[i].low);
			while (at < held && entry[at].piece.low == p->region[k].piece[i].low && entry[at].pending != p)
				at++;
			if (at == held || entry[at].pending != p)
				continue;
			held--;
			memmove(&entry[at], &entry[at + 1], (held - at) * sizeof *entry);
		}
	longest = held ? longest : 0;
}

struct hb__pending *hb__index_conflict(const struct hb__region *r, uintptr_t *ret_low, uintptr_t *ret_high)
{
	for (uint32_t i = 0; i < r->n; i++) {
		uintptr_t low = r->piece[i].low, high = r->piece[i].high;
		for (size_t at = first_from(low > longest ? low - longest : 0); at < held && entry[at].piece.low < high;
			at++) {
			const struct entry *e = &entry[at];
			if (e->piece.high <= low || (!e->writes && !r->writes))
				continue;
			*ret_low = e->piece.low > low ? e->piece.low : low;
			*ret_high = e->piece.high < high ? e->piece.high : high;
			return e->pending;
		}
	}
	return NULL;
}
