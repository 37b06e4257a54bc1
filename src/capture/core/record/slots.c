/* Slots: a call that was seen before with the same arguments at the same place
 * costs a hash and a compare; what it means is worked out once. */
#include <string.h>

#include "capture/core/record/record.h"

#define SLOTS HB__SLOTS
#define TAGS_MOST 32 /* slots for the tags at one place; those that come then share one */

uint64_t hb__epoch = 1;

void hb__slots_outdated(void) { __atomic_fetch_add(&hb__epoch, 1, __ATOMIC_RELAXED); }

struct hb__slots *hb__slots_create(void)
{
	struct hb__slots *t = hb__pages(sizeof *t);
	if (t)
		t->none.after = &t->none;
	return t;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t hash_of(const struct hb__fn *fn, const void *pc, const uintptr_t *key, uint32_t open)
{
	uint64_t h = mix((uintptr_t)pc, fn->id);
	for (unsigned i = 0; i < fn->nrecorded; i++)
		if (!(open >> i & 1))
			h = (h ^ key[i]) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

void hb__slot_change(struct hb__lane *lane, struct hb__slot *s, unsigned i, uintptr_t key, int64_t value)
{
	s->key[i] = key;
	s->arg[i] = value;
	s->followed = 0;
	s->settled = 0;
	if (!hb__row_room(lane, 1 + 3 * HB_UV_MAX))
		return;
	uint8_t *w = lane->w;
	*w++ = HB_ROW_ARGUMENT;
	w = hb_put_uv(w, s->id);
	w = hb_put_uv(w, i);
	hb__row_commit(lane, hb_put_sv(w, value));
}

static void unlink_slot(struct hb__slots *t, uint32_t id)
{
	uint32_t *at = &t->bucket[t->slot[id].bucket];
	while (*at && *at != id + 1)
		at = &t->slot[*at - 1].next;
	if (*at)
		*at = t->slot[id].next;
}

void hb__slot_define(struct hb__lane *lane, const struct hb__slot *s)
{
	uint8_t body[6 * HB_UV_MAX + HB_MAX_RECORDED * HB_UV_MAX], *w = body;
	hb__define_function(s->fn);
	w = hb_put_uv(w, s->id);
	w = hb_put_uv(w, s->fn->id);
	w = hb_put_uv(w, s->site);
	w = hb_put_uv(w, s->flags);
	w = hb_put_uv(w, s->nargs);
	for (unsigned i = 0; i < s->nargs; i++)
		w = hb_put_sv(w, s->arg[i]);
	if (!hb__row_room(lane, sizeof body + 4))
		return;
	size_t n = (size_t)(w - body);
	uint8_t *to = lane->w;
	*to++ = HB_ROW_DEF;
	*to++ = HB_DEF_SLOT;
	to = hb_put_uv(to, n);
	memcpy(to, body, n);
	hb__row_commit(lane, to + n);
}

/* The number of a call site; the lane keeps those it uses, for arguments change more often than places. */
static uint32_t site_number(struct hb__slots *t, const void *pc)
{
	unsigned at = (unsigned)((uintptr_t)pc * 0x9e3779b97f4a7c15u >> 58);
	if (t->place[at].pc != pc) {
		t->place[at].site = hb__define_site(pc);
		t->place[at].pc = pc;
	}
	return t->place[at].site;
}

/* Where a slot is looked for. */
struct looked {
	const struct hb__fn *fn;
	const void *pc;
	uint64_t epoch;
	unsigned nkey;
	const uintptr_t *key;
};

static uint8_t first_of_row(const struct hb__fn *fn)
{
	for (unsigned i = 0; i < fn->nrecorded; i++)
		if (fn->recorded[i].arg != fn->recorded[0].arg + i)
			return HB__NOT_IN_A_ROW;
	return fn->nrecorded ? fn->recorded[0].arg : 0;
}

/* `stale`: 1 + a slot of the same call whose handles died; it is defined anew. */
static __attribute__((noinline)) struct hb__slot *slot_new(
	struct hb__slots *t, const struct looked *k, uint32_t bucket, uint32_t stale, uint32_t open, bool plain)
{
	uint32_t id;
	if (stale) {
		id = stale - 1;
		unlink_slot(t, id);
		t->lives++;
	} else if (t->used < SLOTS) {
		id = t->used++;
	} else {
		id = t->hand++ % SLOTS;
		unlink_slot(t, id);
		t->lives++;
	}
	struct hb__slot *s = &t->slot[id];
	*s = (struct hb__slot){.fn = k->fn,
		.pc = k->pc,
		.epoch = k->epoch,
		.bucket = bucket,
		.bytes = -1,
		.id = id,
		.inside = id + 1,
		.open = open,
		.first = first_of_row(k->fn),
		.after = &t->none,
		.plain = plain};
	uint8_t row[HB_UV_MAX] = {0};
	s->row_bytes = (uint8_t)(hb_put_uv(row, HB_ROW_EVENT + ((uint64_t)id << 1)) - row);
	memcpy(&s->row, row, sizeof s->row);
	s->row = hb_little16(s->row);
	_Static_assert(HB_ROW_EVENT + 2 * SLOTS < 1 << 14, "a row begins with two bytes at most");
	if (!hb__config.order) {
		memcpy(s->key, k->key, k->nkey * sizeof *s->key);
		s->nargs = k->fn->nrecorded;
		s->site = site_number(t, k->pc);
	}
	s->next = t->bucket[bucket];
	t->bucket[bucket] = id + 1;
	return s;
}

/* The slot in this bucket whose arguments are the same, but for those that are open. NULL: there is none; *ret_stale: 1 + one of
 * the same call whose handles died. */
static inline struct hb__slot *in_bucket(
	struct hb__slots *t, const struct looked *k, uint32_t bucket, uint32_t open, uint32_t *ret_stale)
{
	for (uint32_t at = t->bucket[bucket]; at; at = t->slot[at - 1].next) {
		struct hb__slot *s = &t->slot[at - 1];
		if (s->fn != k->fn || s->pc != k->pc || (open && s->open != open))
			continue;
		bool same = s->epoch == k->epoch;
		if (!same)
			*ret_stale = at;
		for (unsigned i = 0; same && i < k->nkey; i++)
			same = s->key[i] == k->key[i] || open >> i & 1;
		if (likely(same))
			return s;
	}
	return NULL;
}

/* True when so many slots differ in their tags alone that one for all other tags is better. */
static bool many_tags(struct hb__slots *t, uint64_t hash)
{
	unsigned at = hash % (sizeof t->tags / sizeof *t->tags);
	if (t->tags[at].hash != (uint32_t)hash) {
		t->tags[at].hash = (uint32_t)hash;
		t->tags[at].n = 0;
	}
	return t->tags[at].n++ >= TAGS_MOST;
}

static struct hb__slot *with_open_tags(
	struct hb__slots *t, const struct looked *k, const struct hb__wanted *w, bool *ret_new, uint32_t *ret_changed)
{
	uint64_t hash = hash_of(k->fn, k->pc, k->key, w->tags);
	uint32_t stale = 0, bucket = (uint32_t)hash % SLOTS;
	struct hb__slot *s = in_bucket(t, k, bucket, w->tags, &stale);
	if (!s) {
		if (!many_tags(t, hash))
			return NULL;
		*ret_new = true;
		return slot_new(t, k, bucket, stale, w->tags, w->plain);
	}
	for (unsigned i = 0; i < k->nkey; i++)
		*ret_changed |= (uint32_t)(s->key[i] != k->key[i]) << i;
	return s;
}

static struct hb__slot *search(
	const struct hb__call *c, const struct hb__wanted *w, bool *ret_new, uint32_t *ret_changed)
{
	struct hb__slots *t = c->lane->slots;
	struct looked k = {.fn = c->fn, .epoch = 1, .key = w->key}; /* level order: only the function matters */
	uint32_t bucket = c->fn->id, stale = 0;
	if (likely(!hb__config.order)) {
		k.pc = w->pc;
		k.epoch = hb__epoch;
		k.nkey = c->fn->nrecorded;
		bucket = (uint32_t)hash_of(k.fn, k.pc, k.key, 0) % SLOTS;
	}
	struct hb__slot *s = in_bucket(t, &k, bucket, 0, &stale);
	if (!s && !stale && w->tags && !hb__config.order && !c->lane->nested)
		s = with_open_tags(t, &k, w, ret_new, ret_changed);
	if (!s) {
		*ret_new = true;
		s = slot_new(t, &k, bucket, stale, 0, w->plain && !hb__config.order);
	}
	return s;
}

struct hb__slot *hb__slot_search(
	const struct hb__call *c, const struct hb__wanted *w, bool *ret_new, uint32_t *ret_changed)
{
	*ret_new = false;
	*ret_changed = 0;
	struct hb__slot *s = search(c, w, ret_new, ret_changed);
	c->lane->lives = c->lane->slots->lives;
	c->lane->last->after = s;
	return c->lane->last = s;
}
