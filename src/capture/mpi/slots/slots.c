/* What tells a call of MPI apart from others of the same function at the same place. */
#include "capture/mpi/family/family.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/track/track.h"

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
	if (!p || !comm || !hb__significant(c, c->fn->recorded[i].arg, comm))
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

/* True: the arguments as they stand tell it apart. */
static bool key_of(struct hb__call *c, uintptr_t *key)
{
	const struct hb__fn *fn = c->fn;
	bool plain = true;
	for (unsigned i = 0; i < fn->nrecorded; i++) {
		unsigned kind = fn->recorded[i].kind;
		uintptr_t v = c->a[fn->recorded[i].arg];
		int place = fn->recorded[i].arg + 1;
		bool digest = hb__is_digest(kind),
		     address = place == fn->role[HB_R_COMMPTR] || place == fn->role[HB_R_WINPTR];
		if (unlikely(digest))
			v = kind == HB_RECORDED_DIGEST_GROUP ? hb__group_digest(v) : array_digest(c, i);
		else if (unlikely(address))
			/* MPI_Comm_free, MPI_Win_free: the handle, not where it lies */
			v = !v ? 0 : kind == HB_RECORDED_WIN ? (uintptr_t) * (MPI_Win *)v : (uintptr_t) * (MPI_Comm *)v;
		plain = plain && !digest && !address;
		key[i] = v;
	}
	return plain;
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

/* Of tags the key is the tag as it stands. */
static void change(struct hb__lane *lane, struct hb__slot *s, uint32_t changed, const uintptr_t *a)
{
	for (unsigned i = 0; changed >> i; i++)
		if (changed >> i & 1) {
			uintptr_t tag = a[s->fn->recorded[i].arg];
			hb__slot_change(lane, s, i, tag, hb__neutral_tag((int)tag));
		}
	if (s->fn->cls == HB_RECV)
		hb__slot_answers(s);
}

const struct hb__slot *hb__slot_with_tags(struct hb__call *c, struct hb__slot *s, uint32_t changed)
{
	change(c->lane, s, changed, c->a);
	return s;
}

const struct hb__slot *hb__slot_of_another(struct hb__call *c)
{
	struct hb__wanted w;
	bool new;
	uint32_t changed;
	if (hb__config.order) {
		struct hb__slot *known = hb__slot_of_function(c->lane, c->fn);
		if (likely(known != NULL))
			return known;
		hb__wanted_function(&w);
	} else {
		w.pc = hb__site_of(c->pc, c->cfa);
		w.plain = key_of(c, w.key) && w.pc == c->pc;
		w.tags = tags_of(c->fn);
	}
	struct hb__slot *s = hb__slot_search(c, &w, &new, &changed);
	if (new) {
		hb__slot_fill(c, s);
		hb__slot_define(c->lane, s);
	}
	if (unlikely(changed))
		change(c->lane, s, changed, c->a);
	return s;
}
