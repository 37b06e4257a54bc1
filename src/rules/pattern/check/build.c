/* Expressions from their parts. */
#include <string.h>

#include "rules/pattern/check/node.h"

#define HEIGHT 10000 /* of an expression: functions here call themselves as deep */

hb__node hb__empty = {.cell = {.kind = HB__N_EMPTY, .nullable = true, .hash = 0x51ed270b0a1f39c1u}};

uint64_t hb__label(uint32_t binding, const hb__value *key, uint32_t n)
{
	uint64_t h = binding + 1;
	for (uint32_t i = 0; i < n; i++)
		h = hb__mix(h, (uint64_t)key[i]);
	return h;
}

/* ---- whether two are the same ---- */

static bool same_bytes(const struct hb__cell *a, const struct hb__cell *b)
{
	return a == b || (a && b && a->bytes == b->bytes && !memcmp(a + 1, b + 1, a->bytes - sizeof *a));
}

static bool same_label(hb__node *a, hb__node *b)
{
	return a == b || (a->atom.form->number == b->atom.form->number && a->atom.from == b->atom.from &&
				 a->atom.to == b->atom.to &&
				 !memcmp(hb__atom_keys(a), hb__atom_keys(b), a->atom.form->n * sizeof(hb__value)));
}

bool hb__equal(hb__node *a, hb__node *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->cell.hash != b->cell.hash || a->cell.kind != b->cell.kind)
		return false;
	switch (a->cell.kind) {
	case HB__N_ATOM:
		return same_label(a, b);
	case HB__N_OPEN:
		return a->open.id == b->open.id && same_label(a->open.atom, b->open.atom);
	case HB__N_WAIT:
	case HB__N_LOOP:
		return a->wait.form == b->wait.form && a->wait.at == b->wait.at &&
		       same_bytes(&a->wait.env->cell, &b->wait.env->cell) &&
		       same_bytes(a->wait.gone ? &a->wait.gone->cell : NULL, b->wait.gone ? &b->wait.gone->cell : NULL);
	case HB__N_STRICT:
		if (!same_bytes(a->pair.m ? &a->pair.m->cell : NULL, b->pair.m ? &b->pair.m->cell : NULL))
			return false;
		__attribute__((fallthrough));
	default: /* of a weak sequence, m decides only what a frontier is said to follow */
		return hb__equal(a->pair.a, b->pair.a) && hb__equal(a->pair.b, b->pair.b);
	}
}

/* ---- the last events at processes ---- */

static struct hb__map *new_map(struct hb__engine *e, uint64_t room)
{
	struct hb__map *m = hb__cell(e, HB__N_MAP, sizeof *m + room * sizeof *m->at);
	if (m)
		m->n = 0;
	return m;
}

const struct hb__map *hb__map_add(struct hb__engine *e, const struct hb__map *m, int64_t process, uint64_t id)
{
	uint64_t n = m ? m->n : 0, there = 0;
	for (uint64_t i = 0; i < n; i++)
		there += m->at[i].process == process;
	struct hb__map *to = new_map(e, n + 1 - there);
	if (!to)
		return NULL;
	for (uint64_t i = 0; i < n; i++)
		if (m->at[i].process != process)
			to->at[to->n++] = m->at[i];
	to->at[to->n].process = process;
	to->at[to->n++].id = id;
	return to;
}

/* Those of a, replaced by those of b; and of these only the processes of a mask. */
static const struct hb__map *map_join(struct hb__engine *e, const struct hb__map *a, const struct hb__map *b)
{
	if (!a || !b)
		return a ? a : b;
	for (uint64_t i = 0; a && i < b->n; i++)
		a = hb__map_add(e, a, b->at[i].process, b->at[i].id);
	return a;
}

static const struct hb__map *map_of(struct hb__engine *e, const struct hb__map *m, uint64_t processes)
{
	uint64_t n = 0;
	for (uint64_t i = 0; m && i < m->n; i++)
		n += (processes & hb__process_bit(m->at[i].process)) != 0;
	if (!n || n == m->n)
		return n ? m : NULL;
	struct hb__map *to = new_map(e, n);
	for (uint64_t i = 0; to && i < m->n; i++)
		if (processes & hb__process_bit(m->at[i].process))
			to->at[to->n++] = m->at[i];
	return to;
}

/* ---- expressions ---- */

struct hb__node *hb__pair(
	struct hb__engine *e, int kind, hb__node *a, hb__node *b, const struct hb__map *m, bool takes_b)
{
	struct hb__node *n = hb__cell(e, kind, offsetof(struct hb__node, pair) + sizeof n->pair);
	if (!n)
		return NULL;
	int height = 1 + (a->cell.height > b->cell.height ? a->cell.height : b->cell.height);
	if (height > HEIGHT) {
		e->undecided = true;
		height = HEIGHT;
	}
	n->cell.height = (uint16_t)height;
	n->cell.hash = hb__mix(hb__mix((uint64_t)kind, a->cell.hash), b->cell.hash);
	n->cell.several = a->cell.several || b->cell.several;
	for (uint64_t i = 0; kind == HB__N_STRICT && m && i < m->n; i++)
		n->cell.hash = hb__mix(n->cell.hash, m->at[i].id);
	bool choice = kind == HB__N_CHOICE;
	n->cell.nullable = choice ? a->cell.nullable || b->cell.nullable : a->cell.nullable && b->cell.nullable;
	n->filter = a->filter | (takes_b ? hb__looked_into(b)->filter : 0);
	n->may = a->may | b->may;
	n->must = choice ? a->must & b->must : a->must | b->must;
	n->pair.a = a;
	n->pair.b = b;
	n->pair.m = m;
	return n;
}

hb__node *hb__open(struct hb__engine *e, hb__node *atom, uint64_t id)
{
	struct hb__node *n = hb__cell(e, HB__N_OPEN, offsetof(struct hb__node, open) + sizeof n->open);
	if (!n)
		return NULL;
	int64_t who = hb__ends(atom);
	n->cell.hash = hb__mix(atom->cell.hash, id + 1);
	n->filter = hb__event_bits(atom->atom.label, HB_PATTERN_END, who);
	n->may = hb__process_bit(who);
	n->must = e->p->processes <= 64 ? n->may : 0;
	n->open.atom = atom;
	n->open.id = id;
	return n;
}

/* Whether all that the loop a can do, the loop b can do too: its body, less some processes. */
static bool loop_within(hb__node *a, hb__node *b)
{
	if (a->cell.kind != HB__N_LOOP || b->cell.kind != HB__N_LOOP || a->wait.form != b->wait.form ||
		!same_bytes(&a->wait.env->cell, &b->wait.env->cell))
		return false;
	for (uint64_t i = 0; b->wait.gone && i < b->wait.gone->n; i++)
		if (!hb__is_gone(a->wait.gone, b->wait.gone->process[i]))
			return false;
	return true;
}

/* What a loop is followed by, when it can be left out: loop(x) ; loop(y) is loop(y) when x is among y. NULL: it cannot. */
static hb__node *without_loop(hb__node *a, hb__node *b)
{
	hb__node *next = b;
	while (next->cell.kind == HB__N_SEQ && (next->pair.a == &hb__empty || next->pair.a->cell.kind == HB__N_LOOP))
		next = next->pair.a == &hb__empty ? next->pair.b : next->pair.a;
	return loop_within(a, next) ? b : NULL;
}

/* a ; b with what b stands behind brought to little height, when a is a long row: of messages on their way, thousands. As AVL trees are
 * joined (G. M. Adelson-Velsky, E. M. Landis, 1962); taking away from the left keeps the height. */
static hb__node *join(struct hb__engine *e, hb__node *a, hb__node *b, const struct hb__map *m)
{
	if (!a || !b || a->cell.kind != HB__N_SEQ || a->pair.a == &hb__empty || b->cell.kind == HB__N_WAIT ||
		a->pair.b->cell.kind == HB__N_WAIT ||
		a->cell.height <= b->cell.height + 1) /* what waits stands to the right */
		return hb__seq(e, a, b, m);
	hb__node *x = a->pair.a, *y = join(e, a->pair.b, b, m);
	if (!y || y->cell.kind != HB__N_SEQ || y->cell.height <= x->cell.height + 1 || y->pair.a == &hb__empty)
		return hb__seq(e, x, y, a->pair.m);
	hb__node *left = y->pair.a, *right = y->pair.b;
	const struct hb__map *all = map_join(e, a->pair.m, y->pair.m);
	if (left->cell.kind != HB__N_SEQ || left->cell.height <= right->cell.height || left->pair.a == &hb__empty ||
		left->pair.b->cell.kind == HB__N_WAIT)
		return hb__seq(e, hb__seq(e, x, left, a->pair.m), right, all);
	const struct hb__map *some = map_join(e, a->pair.m, left->pair.m);
	return hb__seq(e, hb__seq(e, x, left->pair.a, a->pair.m), hb__seq(e, left->pair.b, right, y->pair.m), some);
}

hb__node *hb__seq(struct hb__engine *e, hb__node *a, hb__node *b, const struct hb__map *m)
{
	if (a && b && a->cell.nullable)
		b = hb__inside(e, b);
	if (!a || !b || b == &hb__empty)
		return b ? a : NULL;
	if (a->cell.kind == HB__N_LOOP) {
		hb__node *rest = without_loop(a, b);
		if (rest)
			a = &hb__empty;
		else if (!m && loop_within(b, a))
			return a;
	}
	if (b->cell.kind == HB__N_SEQ && a != &hb__empty && b->pair.a != &hb__empty &&
		(b->pair.b->cell.kind == HB__N_LOOP || b->pair.b->cell.kind == HB__N_WAIT)) {
		/* what has begun stands to the left of what has not, so that the next round need not pass through it */
		const struct hb__map *all = map_join(e, m, b->pair.m);
		return hb__seq(e, join(e, a, b->pair.a, m), b->pair.b, all);
	}
	m = map_of(e, m, b->may);
	if (a == &hb__empty && !m)
		return b;
	if (a == &hb__empty && b->cell.kind == HB__N_SEQ && b->pair.a == &hb__empty)
		return hb__seq(e, a, b->pair.b, map_join(e, m, b->pair.m));
	bool blocked = hb__blocked(e, a, b);
	return blocked || hb__inside(e, b) ? hb__pair(e, HB__N_SEQ, a, b, m, !blocked) : NULL;
}

hb__node *hb__strict(struct hb__engine *e, hb__node *a, hb__node *b, const struct hb__map *m)
{
	if (a && b && a->cell.nullable)
		b = hb__inside(e, b);
	if (!a || !b || b == &hb__empty)
		return b ? a : NULL;
	if (a == &hb__empty && !m)
		return b;
	return hb__pair(e, HB__N_STRICT, a, b, m, a->cell.nullable);
}

hb__node *hb__par(struct hb__engine *e, hb__node *a, hb__node *b)
{
	if (!a || !b || b == &hb__empty)
		return b ? a : NULL;
	if (a == &hb__empty)
		return b;
	bool swap = a->cell.hash > b->cell.hash; /* so that x || y and y || x are the same */
	return hb__pair(e, HB__N_PAR, swap ? b : a, swap ? a : b, NULL, true);
}

static hb__node *one_of(hb__node **list)
{
	hb__node *n = *list;
	bool more = n->cell.kind == HB__N_CHOICE;
	*list = more ? n->pair.b : NULL;
	return more ? n->pair.a : n;
}

hb__node *hb__choice(struct hb__engine *e, hb__node *a, hb__node *b)
{
	hb__node *one[HB__ALTERNATIVES];
	size_t n = 0;
	if (!a || !b || hb__equal(a, b))
		return a ? a : b;
	hb__node *x = one_of(&a), *y = one_of(&b);
	while (x || y) {
		bool first = x && (!y || x->cell.hash <= y->cell.hash);
		hb__node *next = first ? x : y;
		bool known = false;
		for (size_t i = n; i > 0 && !known && one[i - 1]->cell.hash == next->cell.hash; i--)
			known = hb__equal(one[i - 1], next);
		if (n == HB__ALTERNATIVES) {
			e->undecided = true;
			return NULL;
		}
		if (!known)
			one[n++] = next;
		if (first)
			x = a ? one_of(&a) : NULL;
		else
			y = b ? one_of(&b) : NULL;
	}
	hb__node *list = one[n - 1];
	for (size_t i = n - 1; list && i > 0; i--)
		list = hb__pair(e, HB__N_CHOICE, one[i - 1], list, NULL, true);
	return list;
}
