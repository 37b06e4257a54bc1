/* States of keys that wait, in few bytes: an expression is written as a shape, a string of bytes in which the values of the key
 * and the events' ids are left open, and a list of these ids. Keys that have come equally far have the same shape, which is kept
 * once and counted.
 *
 * A cell is written as its kind and its parts, those that stand behind it following; one that was written before, as its number in
 * the order of writing. What follows from the parts (hashes, filters) is found again while reading. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/pattern/check/keys.h"

/* Beside the kinds of cells. Bits above them: SEVERAL, TAKES_B. */
enum { BEFORE = HB__N_MOVED, NOTHING = 15, KIND = 15, SEVERAL = 16, TAKES_B = 32 };
enum { NUMBER, TEXT, SET, KEY }; /* a value: its lowest two bits */
#define LONG HB__SLOTS           /* a KEY that is none: the value follows */

struct hb__shape {
	struct hb__shape *next;
	uint64_t hash;
	uint32_t uses, size, ids;
	bool nullable;
	uint8_t byte[];
};

static bool no_room(struct hb__packer *k)
{
	k->no_memory = true;
	return false;
}

/* ---- writing ---- */

static void put(struct hb__packer *k, uint64_t v)
{
	if (!HB_GROW(k->byte, k->byte_room, k->bytes + 10)) {
		no_room(k);
		return;
	}
	for (; v >= 128; v >>= 7)
		k->byte[k->bytes++] = (uint8_t)(v | 128);
	k->byte[k->bytes++] = (uint8_t)v;
}

static void put_id(struct hb__packer *k, uint64_t id)
{
	if (HB_GROW(k->id, k->id_room, k->ids + 1))
		k->id[k->ids++] = id;
	else
		no_room(k);
}

static void put_value(struct hb__packer *k, hb__value v)
{
	for (uint32_t i = 0; i < k->nkeys; i++)
		if (k->key[i] == v) {
			put(k, i << 2 | KEY);
			return;
		}
	uint64_t folded = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
	if (hb__is_text(v)) {
		put(k, (uint64_t)(v - HB__TEXTS) << 2 | TEXT);
	} else if (hb__is_set(v)) {
		put(k, (uint64_t)(v - HB__SETS) << 2 | SET);
	} else if (folded >> 62) {
		put(k, LONG << 2 | KEY);
		put(k, (uint64_t)v);
	} else {
		put(k, folded << 2 | NUMBER);
	}
}

/* True: what stands in it has to follow. */
static bool put_cell(struct hb__packer *k, const void *at, int bits)
{
	struct hb__cell *c = (struct hb__cell *)(uintptr_t)at;
	if (!c || k->no_memory) {
		put(k, NOTHING);
	} else if (c->kind == HB__N_EMPTY) {
		put(k, HB__N_EMPTY);
	} else if (c->packed) {
		put(k, BEFORE);
		put(k, c->hash);
	} else {
		put(k, (uint64_t)(c->kind | bits | (c->several ? SEVERAL : 0)));
		c->packed = true;
		c->hash = k->cells++;
		return true;
	}
	return false;
}

static void put_env(struct hb__packer *k, const struct hb__env *env)
{
	if (!put_cell(k, env, 0))
		return;
	put(k, hb__env_slots(env));
	for (uint32_t i = 0; i < hb__env_slots(env); i++)
		put_value(k, env->slot[i]);
}

static void put_gone(struct hb__packer *k, const struct hb__gone *gone)
{
	if (!put_cell(k, gone, 0))
		return;
	put(k, gone->n);
	for (uint64_t i = 0; i < gone->n; i++)
		put(k, (uint64_t)gone->process[i]);
}

static void put_map(struct hb__packer *k, const struct hb__map *m)
{
	if (!put_cell(k, m, 0))
		return;
	put(k, m->n);
	for (uint64_t i = 0; i < m->n; i++) {
		put(k, (uint64_t)m->at[i].process);
		put_id(k, m->at[i].id);
	}
}

static void put_node(struct hb__packer *k, hb__node *n)
{
	bool two = n && n->cell.kind >= HB__N_SEQ && n->cell.kind <= HB__N_CHOICE;
	uint64_t first = two ? hb__looked_into(n->pair.b)->filter : 0;
	if (!put_cell(k, n, two && (n->filter & first) == first ? TAKES_B : 0))
		return;
	switch (n->cell.kind) {
	case HB__N_ATOM:
		put(k, n->atom.form->index);
		put(k, (uint64_t)n->atom.from);
		put(k, (uint64_t)(n->atom.to + 1));
		for (uint32_t i = 0; i < n->atom.form->n; i++)
			put_value(k, hb__atom_keys(n)[i]);
		break;
	case HB__N_OPEN:
		put_id(k, n->open.id);
		put_node(k, n->open.atom);
		break;
	case HB__N_WAIT:
	case HB__N_LOOP:
		put(k, n->wait.form->index);
		put(k, (uint64_t)n->wait.at);
		put(k, n->may);
		put(k, n->must);
		put_env(k, n->wait.env);
		put_gone(k, n->wait.gone);
		put_node(k, n->wait.inside);
		break;
	default:
		put_node(k, n->pair.a);
		put_node(k, n->pair.b);
		put_map(k, n->pair.m);
	}
}

/* ---- shapes ---- */

static bool more_slots(struct hb__packer *k)
{
	size_t slots = k->slots ? k->slots * 2 : 256;
	struct hb__shape **to = calloc(slots, sizeof *to);
	if (!to)
		return no_room(k);
	for (size_t i = 0; i < k->slots; i++)
		for (struct hb__shape *s = k->slot[i], *next; s; s = next) {
			next = s->next;
			s->next = to[s->hash & (slots - 1)];
			to[s->hash & (slots - 1)] = s;
		}
	free(k->slot);
	k->slot = to;
	k->slots = slots;
	return true;
}

/* The shape that has just been written, one use more of it. */
static struct hb__shape *shape_of(struct hb__packer *k, bool nullable)
{
	uint64_t hash = hb__hash(k->byte, k->bytes);
	if (k->shapes >= k->slots && !more_slots(k))
		return NULL;
	struct hb__shape **at = &k->slot[hash & (k->slots - 1)], *s = *at;
	while (s && (s->hash != hash || s->size != k->bytes || s->nullable != nullable ||
			    memcmp(s->byte, k->byte, k->bytes) != 0))
		s = s->next;
	if (!s && k->bytes <= UINT32_MAX && (s = malloc(sizeof *s + k->bytes))) {
		*s = (struct hb__shape){*at, hash, 0, (uint32_t)k->bytes, (uint32_t)k->ids, nullable};
		memcpy(s->byte, k->byte, k->bytes);
		*at = s;
		k->shapes++;
	}
	if (s)
		s->uses++;
	else
		no_room(k);
	return s;
}

struct hb__packed *hb__pack_state(struct hb__packer *k, hb__node *n, const hb__value *key, uint32_t nkeys)
{
	k->bytes = k->ids = k->cells = 0;
	k->key = key;
	k->nkeys = nkeys;
	bool nullable = n->cell.nullable;
	put_node(k, n);
	struct hb__shape *s = k->no_memory ? NULL : shape_of(k, nullable);
	struct hb__packed *p = s ? malloc(sizeof *p + k->ids * sizeof *p->id) : NULL;
	if (!p) {
		no_room(k);
		return NULL;
	}
	p->shape = s;
	if (k->ids)
		memcpy(p->id, k->id, k->ids * sizeof *p->id);
	return p;
}

bool hb__packed_nullable(const struct hb__packed *p) { return p->shape->nullable; }

void hb__packed_free(struct hb__packer *k, struct hb__packed *p)
{
	struct hb__shape *s = p->shape;
	free(p);
	if (--s->uses)
		return;
	struct hb__shape **at = &k->slot[s->hash & (k->slots - 1)];
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	k->shapes--;
	free(s);
}

void hb__packer_free(struct hb__packer *k)
{
	free(k->byte);
	free(k->id);
	free(k->cell);
	free(k->slot);
}

/* ---- reading ---- */

struct reading {
	struct hb__engine *e;
	struct hb__packer *k;
	const uint8_t *at;
	const uint64_t *id;
};

static uint64_t get(struct reading *r)
{
	uint64_t v = 0;
	for (int bits = 0;; bits += 7) {
		uint8_t byte = *r->at++;
		v |= (uint64_t)(byte & 127) << bits;
		if (byte < 128)
			return v;
	}
}

static hb__value get_value(struct reading *r)
{
	uint64_t v = get(r), n = v >> 2;
	switch (v & 3) {
	case TEXT:
		return HB__TEXTS + (int64_t)n;
	case SET:
		return HB__SETS + (int64_t)n;
	case KEY:
		return n == LONG ? (hb__value)get(r) : r->k->key[n];
	default:
		return (hb__value)(n >> 1 ^ -(n & 1));
	}
}

/* The cell that comes, when it is none that has to be read: true. Otherwise the place that it takes among those that stand. */
static bool stands(struct reading *r, int *ret_head, const void **ret_cell, size_t *ret_place)
{
	int head = *ret_head = (int)get(r);
	*ret_cell = head == HB__N_EMPTY ? &hb__empty : head == BEFORE ? r->k->cell[get(r)] : NULL;
	if (head == NOTHING || *ret_cell)
		return true;
	if (!HB_GROW(r->k->cell, r->k->cell_room, r->k->cells + 1)) {
		hb__pattern_no_memory(r->e->p);
		return true;
	}
	*ret_place = r->k->cells++;
	return false;
}

static const void *get_env(struct reading *r)
{
	int head;
	size_t place;
	const void *cell;
	if (stands(r, &head, &cell, &place))
		return cell;
	uint32_t n = (uint32_t)get(r);
	struct hb__env *env = hb__cell(r->e, HB__N_ENV, sizeof *env + n * sizeof *env->slot);
	for (uint32_t i = 0; env && i < n; i++)
		env->slot[i] = get_value(r);
	return r->k->cell[place] = env ? hb__finish_env(env, n) : NULL;
}

static const void *get_gone(struct reading *r)
{
	int head;
	size_t place;
	const void *cell;
	if (stands(r, &head, &cell, &place))
		return cell;
	uint64_t n = get(r);
	struct hb__gone *gone = hb__cell(r->e, HB__N_GONE, sizeof *gone + n * sizeof *gone->process);
	if (gone)
		gone->n = n;
	for (uint64_t i = 0; gone && i < n; i++)
		gone->process[i] = (int64_t)get(r);
	return r->k->cell[place] = gone;
}

static const void *get_map(struct reading *r)
{
	int head;
	size_t place;
	const void *cell;
	if (stands(r, &head, &cell, &place))
		return cell;
	uint64_t n = get(r);
	struct hb__map *m = hb__cell(r->e, HB__N_MAP, sizeof *m + n * sizeof *m->at);
	if (m)
		m->n = n;
	for (uint64_t i = 0; m && i < n; i++) {
		m->at[i].process = (int64_t)get(r);
		m->at[i].id = *r->id++;
	}
	return r->k->cell[place] = m;
}

static hb__node *get_node(struct reading *r);

static hb__node *get_atom(struct reading *r)
{
	const struct hb__form *f = r->e->p->forms[get(r)];
	int32_t from = (int32_t)get(r), to = (int32_t)get(r) - 1;
	struct hb__node *n = hb__new_atom(r->e, f, from, to);
	for (uint32_t i = 0; n && i < f->n; i++)
		hb__atom_keys(n)[i] = get_value(r);
	return n ? hb__finish_atom(n) : NULL;
}

static hb__node *get_waiting(struct reading *r, int kind)
{
	const struct hb__form *f = r->e->p->forms[get(r)];
	int64_t at = (int64_t)get(r);
	uint64_t may = get(r), must = get(r);
	const struct hb__env *env = get_env(r);
	const struct hb__gone *gone = get_gone(r);
	hb__node *inside = get_node(r);
	struct hb__node *n = r->e->p->failed ? NULL : hb__waiting(r->e, kind, f, env, gone, at);
	if (!n || kind == HB__N_LOOP)
		return n ? hb__finish_loop(n, inside) : NULL;
	n->may = may;
	n->must = must;
	n->wait.inside = inside;
	return n;
}

static struct hb__node *get_pair(struct reading *r, int head)
{
	hb__node *a = get_node(r), *b = get_node(r);
	const struct hb__map *m = get_map(r);
	return r->e->p->failed ? NULL : hb__pair(r->e, head & KIND, a, b, m, head & TAKES_B);
}

/* NULL: that was written, or it has failed. */
static hb__node *get_node(struct reading *r)
{
	int head;
	size_t place;
	const void *cell;
	uint64_t id;
	if (r->e->p->failed || stands(r, &head, &cell, &place))
		return r->e->p->failed ? NULL : cell;
	hb__node *n, *atom;
	switch (head & KIND) {
	case HB__N_ATOM:
		n = get_atom(r);
		break;
	case HB__N_OPEN:
		id = *r->id++;
		atom = get_node(r);
		n = atom ? hb__open(r->e, atom, id) : NULL;
		break;
	case HB__N_WAIT:
	case HB__N_LOOP:
		n = get_waiting(r, head & KIND);
		break;
	default:
		n = get_pair(r, head);
	}
	if (n && head & SEVERAL)
		((struct hb__node *)(uintptr_t)n)->cell.several = true;
	r->k->cell[place] = n;
	return n;
}

hb__node *hb__unpack_state(struct hb__engine *e, struct hb__packer *k, const struct hb__packed *p, const hb__value *key)
{
	struct reading r = {e, k, p->shape->byte, p->id};
	k->cells = 0;
	k->key = key;
	e->budget = UINT32_MAX;
	return get_node(&r);
}
