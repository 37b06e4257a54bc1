/* Blocks by address: four bytes for each sixteen of the heap, which name the record of the block that begins there. A block that
 * begins where one began before takes over its record. Nothing is locked: who has a block from malloc is the only one to write its
 * record, until it is given back. */
#include <sys/mman.h>

#include "capture/heap/heap.h"

#define GRANULE 4  /* bits of an address: blocks begin at multiples of 16 */
#define SEGMENT 16 /* longer blocks are named by each segment that begins inside of them */
#define LEAF 24
#define GRANULES (1u << (LEAF - GRANULE))
#define SEGMENTS (1u << (LEAF - SEGMENT))
#define LEAVES (1u << 14) /* 256 GB of heap */
#define CHUNK 16
#define CHUNKS (1u << 14)

struct record {
	uintptr_t start;
	size_t size;
	const void *made, *ended; /* of a live one `ended` is its nth + 1, as hb_heap_made was told; 0: it was not */
	uint32_t life;
	uint32_t state;
	uint64_t turn; /* grows after each change of what is answered of it */
};

struct leaf {
	uint32_t first[GRANULES]; /* number of a record, 0: no block began here */
	uint32_t across[SEGMENTS];
	uintptr_t number;
};

static struct leaf *leaves[LEAVES];
static struct record *chunks[CHUNKS];
static uint32_t records; /* numbered from 1 */
static bool full;

bool hb__heap_full(void) { return __atomic_load_n(&full, __ATOMIC_RELAXED); }

/* ---- memory: far from where the kernel puts that of the program, whose addresses stay as they are without us ---- */

#define FAR ((uintptr_t)0x200000000000)

static void *more(size_t bytes)
{
	static uintptr_t next = FAR;
	uintptr_t at = __atomic_fetch_add(&next, (bytes + 0xffff) & ~(uintptr_t)0xffff, __ATOMIC_RELAXED);
	void *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p != MAP_FAILED)
		return p;
	__atomic_store_n(&full, true, __ATOMIC_RELAXED);
	return NULL;
}

static struct leaf *leaf_of(uintptr_t address, bool make)
{
	uintptr_t number = (address >> LEAF) + 1;
	struct leaf *made = NULL;
	for (uint32_t i = 0; i < LEAVES; i++) {
		struct leaf **place = &leaves[(number + i) % LEAVES], *l = __atomic_load_n(place, __ATOMIC_ACQUIRE);
		if (!l && !make)
			return NULL;
		if (!l && !made) {
			if (!(made = more(sizeof *made)))
				return NULL;
			made->number = number;
		}
		if (!l && __atomic_compare_exchange_n(place, &l, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return made;
		if (l->number == number) {
			if (made)
				munmap(made, sizeof *made);
			return l;
		}
	}
	__atomic_store_n(&full, true, __ATOMIC_RELAXED);
	return NULL;
}

static struct record *record_at(uint32_t number)
{
	struct record *chunk = number ? __atomic_load_n(&chunks[number >> CHUNK], __ATOMIC_ACQUIRE) : NULL;
	return chunk ? &chunk[number & ((1u << CHUNK) - 1)] : NULL;
}

static uint32_t new_record(void)
{
	uint32_t number = __atomic_add_fetch(&records, 1, __ATOMIC_RELAXED);
	if (number >> CHUNK >= CHUNKS) {
		__atomic_store_n(&records, CHUNKS << CHUNK, __ATOMIC_RELAXED);
		__atomic_store_n(&full, true, __ATOMIC_RELAXED);
		return 0;
	}
	struct record **place = &chunks[number >> CHUNK], *none = NULL;
	if (!__atomic_load_n(place, __ATOMIC_ACQUIRE)) {
		struct record *chunk = more(sizeof *chunk << CHUNK);
		if (!chunk)
			return 0;
		if (!__atomic_compare_exchange_n(place, &none, chunk, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			munmap(chunk, sizeof *chunk << CHUNK);
	}
	return number;
}

/* ---- what happens to blocks ---- */

/* Only who has the block changes it; the turn is the last word that is written, so that whoever read it before what it stands for
 * asks once more than needed, and never once less. */
static void set_state(struct record *r, enum hb_heap_state state)
{
	__atomic_store_n(&r->state, state, __ATOMIC_RELEASE);
	__atomic_store_n(&r->turn, r->turn + 1, __ATOMIC_RELEASE);
}

static uint32_t *first_at(struct leaf *leaf, uintptr_t at) { return &leaf->first[(at >> GRANULE) % GRANULES]; }

static void name_across(uintptr_t start, size_t size, uint32_t number)
{
	for (uintptr_t at = ((start >> SEGMENT) + 1) << SEGMENT; at < start + size; at += (uintptr_t)1 << SEGMENT) {
		struct leaf *leaf = leaf_of(at, true);
		if (!leaf)
			return;
		__atomic_store_n(&leaf->across[(at >> SEGMENT) % SEGMENTS], number, __ATOMIC_RELAXED);
	}
}

void hb__heap_begins(void *p, size_t size, const void *made)
{
	uintptr_t start = (uintptr_t)p;
	struct leaf *leaf = leaf_of(start, true);
	if (!leaf)
		return;
	uint32_t *place = first_at(leaf, start), number = __atomic_load_n(place, __ATOMIC_RELAXED);
	if (!number && !(number = new_record()))
		return;
	struct record *r = record_at(number);
	if (!r)
		return;
	r->start = start;
	r->size = size;
	r->made = made;
	r->ended = NULL;
	r->life++;
	set_state(r, HB_HEAP_LIVE);
	__atomic_store_n(place, number, __ATOMIC_RELEASE);
	if (start >> SEGMENT != (start + size) >> SEGMENT)
		name_across(start, size, number);
}

static struct record *live_at(void *p)
{
	struct leaf *leaf = leaf_of((uintptr_t)p, false);
	struct record *r = leaf ? record_at(__atomic_load_n(first_at(leaf, (uintptr_t)p), __ATOMIC_RELAXED)) : NULL;
	return r && r->start == (uintptr_t)p ? r : NULL;
}

bool hb__heap_ends(void *p, const void *ended)
{
	struct record *r = live_at(p);
	if (!r)
		return false;
	r->ended = ended;
	set_state(r, HB_HEAP_FREED);
	return true;
}

void hb__heap_stays(void *p)
{
	struct record *r = live_at(p);
	if (!r)
		return;
	r->ended = NULL;
	set_state(r, HB_HEAP_LIVE);
}

void hb__heap_resized(void *p, size_t size)
{
	struct record *r = live_at(p);
	if (!r)
		return;
	r->size = size;
	set_state(r, HB_HEAP_LIVE);
	struct leaf *leaf = leaf_of((uintptr_t)p, false);
	if (leaf && r->start >> SEGMENT != (r->start + size) >> SEGMENT)
		name_across(r->start, size, *first_at(leaf, r->start));
}

void hb_heap_made(void *p, const void *made, uint32_t nth)
{
	struct record *r = live_at(p);
	if (!r)
		return;
	r->made = made;
	r->ended = (const void *)((uintptr_t)nth + 1);
}

/* ---- asking ---- */

static bool holds(const struct record *r, uintptr_t at)
{
	return at == r->start || (at > r->start && at - r->start < r->size);
}

/* What it says is read behind the turn, so that a later change is one of the turn, too. */
static enum hb_heap_state answer(const struct record *r, enum hb_heap_state state, struct hb_heap_block *ret)
{
	uint64_t turn = __atomic_load_n(&r->turn, __ATOMIC_ACQUIRE);
	bool same = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) == state;
	*ret = (struct hb_heap_block){.state = state,
		.start = r->start,
		.size = r->size,
		.life = r->life,
		.made = r->made,
		.ended = state == HB_HEAP_LIVE ? NULL : r->ended,
		.nth = state == HB_HEAP_LIVE && r->ended ? (uint32_t)(uintptr_t)r->ended - 1 : HB_HEAP_UNCOUNTED,
		.turn = same ? &r->turn : NULL,
		.was = turn};
	return state;
}

/* Backwards from the address: the first live block that begins before it is the only one that can hold it. What was freed lies
 * between live ones, or below: the nearest counts if no live block is around it. */
enum hb_heap_state hb_heap_find(const void *p, struct hb_heap_block *ret)
{
	uintptr_t at = (uintptr_t)p, granule = at >> GRANULE, lowest = (at >> SEGMENT << SEGMENT) >> GRANULE;
	const struct leaf *leaf = leaf_of(at, false);
	const struct record *freed = NULL, *r;
	*ret = (struct hb_heap_block){0};
	if (!leaf)
		return HB_HEAP_UNKNOWN;
	r = record_at(__atomic_load_n(&leaf->across[(at >> SEGMENT) % SEGMENTS], __ATOMIC_ACQUIRE));
	if (r && holds(r, at) && __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) == HB_HEAP_LIVE)
		return answer(
			r, HB_HEAP_LIVE, ret); /* inside of a long one: thousands of places may lie before its begin */
	for (uintptr_t g = granule;; g--) {
		uint32_t number = __atomic_load_n(&leaf->first[g % GRANULES], __ATOMIC_ACQUIRE);
		if (number && (r = record_at(number)) != NULL) {
			uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
			if (state == HB_HEAP_LIVE && holds(r, at))
				return answer(r, HB_HEAP_LIVE, ret);
			if (state == HB_HEAP_LIVE)
				goto between;
			if (!freed && holds(r, at))
				freed = r;
		}
		if (g == lowest)
			break;
	}
	r = record_at(__atomic_load_n(&leaf->across[(at >> SEGMENT) % SEGMENTS], __ATOMIC_ACQUIRE));
	if (r && holds(r, at)) {
		uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
		if (state == HB_HEAP_LIVE)
			return answer(r, HB_HEAP_LIVE, ret);
		freed = freed ? freed : r;
	}
between:
	return freed ? answer(freed, HB_HEAP_FREED, ret) : HB_HEAP_UNKNOWN;
}
