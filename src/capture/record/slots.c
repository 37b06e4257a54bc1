/* Slots: a call that was seen before with the same arguments at the same place
 * costs a hash and a compare; what it means is worked out once. */
#include "capture/capture.h"
#include "capture/mpi/family.h"
#include "capture/record/record.h"
#include "capture/track/track.h"

#define SLOTS HB__SLOTS

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
		else if (unlikely(fn->recorded[i].arg + 1 == fn->role[HB_R_COMMPTR]))
			v = v ? (uintptr_t) * (MPI_Comm *)v : 0; /* MPI_Comm_free: the handle, not where it lies */
		key[i] = v;
		h = (h ^ v) * 0x9e3779b97f4a7c15u;
	}
	return h ^ h >> 32;
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
		plain = plain && fn->recorded[i].kind != HB_RECORDED_DIGEST &&
			fn->recorded[i].kind != HB_RECORDED_DIGEST_TYPES &&
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
static __attribute__((noinline)) struct hb__slot *slot_new(
	struct hb__call *c, const void *pc, uint64_t now, uint32_t bucket, const uintptr_t *key, uint32_t stale)
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

static struct hb__slot *search(struct hb__call *c)
{
	struct hb__slots *t = c->lane->slots;
	const struct hb__fn *fn = c->fn;
	uintptr_t key[HB_MAX_RECORDED];
	uint64_t now = hb__epoch;
	unsigned nkey = fn->nrecorded;
	const void *pc = NULL;
	uint32_t bucket = fn->id, stale = 0;
	if (likely(!hb__config.order)) {
		pc = hb__site_of(c->pc, c->cfa);
		bucket = (uint32_t)key_of(c, pc, key) % SLOTS;
	} else {
		nkey = 0; /* only the function matters: nothing else is stored */
		now = 1;
	}
	for (uint32_t at = t->bucket[bucket]; at; at = t->slot[at - 1].next) {
		struct hb__slot *s = &t->slot[at - 1];
		if (s->fn != fn || s->pc != pc)
			continue;
		bool same = s->epoch == now;
		if (!same)
			stale = at;
		for (unsigned i = 0; same && i < nkey; i++)
			same = s->key[i] == key[i];
		if (likely(same))
			return s;
	}
	return slot_new(c, pc, now, bucket, key, stale);
}

const struct hb__slot *hb__slot_search(struct hb__call *c)
{
	struct hb__slots *t = c->lane->slots;
	struct hb__slot *s = search(c);
	if (t->last)
		t->last->after = s;
	return t->last = s;
}
