/* Slots: a call that was seen before with the same arguments at the same place
 * costs a hash and a compare; what it means is worked out once. */
#include "capture/capture.h"
#include "capture/mpi/family.h"
#include "capture/record/record.h"
#include "capture/track/track.h"

#define SLOTS HB__SLOTS
#define TAGS_MOST 32 /* slots for the tags at one place; those that come then share one */

uint64_t hb__epoch = 1;

void hb__slots_outdated(void) { __atomic_fetch_add(&hb__epoch, 1, __ATOMIC_RELAXED); }

struct hb__slots *hb__slots_create(void) { return hb__pages(sizeof(struct hb__slots)); }

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Argument arrays are told apart by what is in them. */
static uintptr_t array_digest(struct hb__call *c, unsigned i)
{
	uintptr_t p = c->a[c->fn->recorded[i].arg];
	struct hb__comm *comm = hb__has(c, HB_R_COMM) ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	if (!p || !comm || !hb__argument_significant(c, i, comm))
		return 0;
	int n = hb__array_length(comm, c->fn, i);
	uint64_t h = 0;
	for (int k = 0; k < n; k++) {
		if (c->fn->recorded[i].kind == HB_RECORDED_DIGEST_TYPES)
			h = mix(h, (uint64_t)hb__type_find((uintptr_t)((const MPI_Datatype *)p)[k])->number);
		else if (c->fn->wide)
			h = mix(h, (uint64_t)((const MPI_Count *)p)[k]);
		else
			h = mix(h, (uint64_t)((const int *)p)[k]);
	}
	return h >> 32;
}

static inline uint64_t key_of(struct hb__call *c, const void *pc, uintptr_t *key)
{
	const struct hb__fn *fn = c->fn;
	uint64_t h = mix((uintptr_t)pc, fn->id);
	for (unsigned i = 0; i < fn->nrecorded; i++) {
		unsigned kind = fn->recorded[i].kind;
		uintptr_t v = c->a[fn->recorded[i].arg];
		if (unlikely(kind == HB_RECORDED_DIGEST || kind == HB_RECORDED_DIGEST_TYPES))
			v = array_digest(c, i);
		else if (unlikely(kind == HB_RECORDED_DIGEST_GROUP))
			v = hb__group_digest(v);
		else if (unlikely(fn->recorded[i].arg + 1 == fn->role[HB_R_COMMPTR]))
			v = v ? (uintptr_t) * (MPI_Comm *)v : 0; /* MPI_Comm_free: the handle, not where it lies */
		key[i] = v;
		h = (h ^ v) * 0x9e3779b97f4a7c15u;
	}
	return h ^ h >> 32;
}

/* The tags of a function, a bit each: some programs use a new one at each call. */
static uint32_t tags_of(const struct hb__fn *fn)
{
	uint32_t tags = 0;
	for (unsigned i = 0; i < fn->nrecorded; i++)
		if (fn->recorded[i].kind == HB_RECORDED_TAG)
			tags |= 1u << i;
	return fn->cls == HB_SEND || fn->cls == HB_RECV ? tags : 0;
}

static uint64_t hash_without(const struct hb__fn *fn, const void *pc, const uintptr_t *key, uint32_t open)
{
	uint64_t h = mix((uintptr_t)pc, fn->id);
	for (unsigned i = 0; i < fn->nrecorded; i++)
		if (!(open >> i & 1))
			h = (h ^ key[i]) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

void hb__slot_change(struct hb__lane *lane, struct hb__slot *s, const uintptr_t *a, uint32_t changed)
{
	for (unsigned i = 0; changed >> i; i++) {
		if (!(changed >> i & 1))
			continue;
		s->key[i] = a[s->fn->recorded[i].arg];
		s->arg[i] = hb__neutral_tag((int)s->key[i]);
		if (!hb__row_room(lane, 1 + 3 * HB_UV_MAX))
			continue;
		uint8_t *w = lane->w;
		*w++ = HB_ROW_ARGUMENT;
		w = hb_put_uv(w, s->id);
		w = hb_put_uv(w, i);
		hb__row_commit(lane, hb_put_sv(w, s->arg[i]));
	}
	s->followed = 0;
	s->settled = 0;
}

static void unlink_slot(struct hb__slots *t, uint32_t id)
{
	uint32_t *at = &t->bucket[t->slot[id].bucket];
	while (*at && *at != id + 1)
		at = &t->slot[*at - 1].next;
	if (*at)
		*at = t->slot[id].next;
}

static void define_slot(struct hb__lane *lane, uint32_t id, const struct hb__slot *s)
{
	uint8_t body[6 * HB_UV_MAX + HB_MAX_RECORDED * HB_UV_MAX], *w = body;
	w = hb_put_uv(w, id);
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

static bool plain_key(const struct hb__fn *fn, const void *pc, const void *site)
{
	bool plain = !hb__config.order && pc == site;
	for (unsigned i = 0; i < fn->nrecorded; i++)
		plain = plain && !hb__is_digest(fn->recorded[i].kind) &&
			fn->recorded[i].arg + 1 != fn->role[HB_R_COMMPTR];
	return plain;
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

/* `stale`: 1 + a slot of the same call whose handles died; it is defined anew. */
static __attribute__((noinline)) struct hb__slot *slot_new(struct hb__call *c, const void *pc, uint64_t now,
	uint32_t bucket, const uintptr_t *key, uint32_t stale, uint32_t open)
{
	struct hb__slots *t = c->lane->slots;
	uint32_t id;
	if (stale) {
		id = stale - 1;
		unlink_slot(t, id);
	} else if (t->used < SLOTS) {
		id = t->used++;
	} else {
		id = t->hand++ % SLOTS;
		unlink_slot(t, id);
	}
	struct hb__slot *s = &t->slot[id];
	*s = (struct hb__slot){.fn = c->fn,
		.pc = pc,
		.epoch = now,
		.bucket = bucket,
		.bytes = -1,
		.id = id,
		.open = open,
		.plain = plain_key(c->fn, c->pc, pc)};
	if (!hb__config.order) {
		memcpy(s->key, key, sizeof s->key);
		s->nargs = c->fn->nrecorded;
		s->site = site_number(t, pc);
	}
	hb__slot_fill(c, s);
	hb__define_function(c->fn);
	define_slot(c->lane, id, s);
	s->next = t->bucket[bucket];
	t->bucket[bucket] = id + 1;
	return s;
}

/* What is looked for. */
struct wanted {
	const struct hb__fn *fn;
	const void *pc;
	uint64_t epoch;
	unsigned nkey;
	const uintptr_t *key;
};

/* The slot in this bucket whose arguments are the same, but for those that are open. NULL: there is none; *ret_stale: 1 + one of
 * the same call whose handles died. */
static inline struct hb__slot *in_bucket(
	struct hb__slots *t, const struct wanted *k, uint32_t bucket, uint32_t open, uint32_t *ret_stale)
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

static struct hb__slot *with_open_tags(struct hb__call *c, const struct wanted *k, uint32_t tags)
{
	struct hb__slots *t = c->lane->slots;
	uint64_t hash = hash_without(k->fn, k->pc, k->key, tags);
	uint32_t stale = 0, changed = 0;
	struct hb__slot *s = in_bucket(t, k, (uint32_t)hash % SLOTS, tags, &stale);
	if (!s)
		return many_tags(t, hash) ? slot_new(c, k->pc, k->epoch, (uint32_t)hash % SLOTS, k->key, stale, tags)
					  : NULL;
	for (unsigned i = 0; i < k->nkey; i++)
		changed |= (uint32_t)(s->key[i] != k->key[i]) << i;
	hb__slot_change(c->lane, s, c->a, changed);
	return s;
}

static struct hb__slot *search(struct hb__call *c)
{
	struct hb__slots *t = c->lane->slots;
	uintptr_t key[HB_MAX_RECORDED];
	struct wanted k = {.fn = c->fn, .epoch = 1, .key = key}; /* level order: only the function matters */
	uint32_t bucket = c->fn->id, stale = 0;
	if (likely(!hb__config.order)) {
		k.pc = hb__site_of(c->pc, c->cfa);
		k.epoch = hb__epoch;
		k.nkey = c->fn->nrecorded;
		bucket = (uint32_t)key_of(c, k.pc, key) % SLOTS;
	}
	struct hb__slot *s = in_bucket(t, &k, bucket, 0, &stale);
	uint32_t tags = s || stale || hb__config.order || c->lane->nested ? 0 : tags_of(c->fn);
	if (tags)
		s = with_open_tags(c, &k, tags);
	return s ? s : slot_new(c, k.pc, k.epoch, bucket, key, stale, 0);
}

const struct hb__slot *hb__slot_search(struct hb__call *c)
{
	struct hb__slots *t = c->lane->slots;
	struct hb__slot *s = search(c);
	if (t->last)
		t->last->after = s;
	return t->last = s;
}
