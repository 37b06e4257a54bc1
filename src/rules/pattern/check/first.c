/* The frontier. */
#include "rules/pattern/check/first.h"

#include <stdlib.h>

#include "base/grow.h"

/* What a part of the expression stands behind, from the inside to the outside. */
struct behind {
	const struct behind *outer;
	const struct hb__map *m;
	bool strict; /* all of it, whichever process */
};

static uint64_t after(const struct behind *b, int64_t process)
{
	for (; b; b = b->outer)
		for (uint64_t i = b->m ? b->m->n : 0; i > 0; i--)
			if (b->strict || b->m->at[i - 1].process == process)
				return b->m->at[i - 1].id;
	return HB_PATTERN_NONE;
}

static int64_t process_of(const struct hb__front *f)
{
	return f->half == HB_PATTERN_END ? hb__ends(f->atom) : f->atom->atom.from;
}

static bool add(struct hb__first *f, hb__node *atom, hb_pattern_half half, uint64_t id)
{
	for (size_t i = 0; i < f->n; i++)
		if (hb__equal(f->at[i].atom, atom) && f->at[i].half == half && f->at[i].after == id)
			return true;
	if (!HB_GROW(f->at, f->room, f->n + 1))
		return false;
	f->at[f->n++] = (struct hb__front){atom, half, id};
	return true;
}

static bool walk(struct hb__engine *e, hb__node *n, const struct behind *behind, struct hb__first *f);

/* Of b's first events those that need not wait for a. */
static bool walk_sequence(struct hb__engine *e, hb__node *n, const struct behind *behind, struct hb__first *f)
{
	bool strict = n->cell.kind == HB__N_STRICT;
	hb__node *a = n->pair.a, *b = n->pair.b;
	if (!walk(e, a, behind, f))
		return false;
	if (strict ? !a->cell.nullable : hb__blocked(e, a, b))
		return true;
	struct behind inner = {behind, n->pair.m, strict};
	size_t before = f->n;
	b = hb__inside(e, b);
	if (!b || !walk(e, b, &inner, f))
		return false;
	if (strict)
		return true;
	size_t to = before;
	for (size_t i = before; i < f->n; i++)
		if (hb__prune(e, a, process_of(&f->at[i])))
			f->at[to++] = f->at[i];
	f->n = to;
	return true;
}

static bool walk(struct hb__engine *e, hb__node *n, const struct behind *behind, struct hb__first *f)
{
	switch (n->cell.kind) {
	case HB__N_ATOM:
		return add(f, n, HB_PATTERN_BEGIN, after(behind, n->atom.from));
	case HB__N_OPEN:
		return add(f, n->open.atom, HB_PATTERN_END, n->open.id);
	case HB__N_LOOP:
	case HB__N_WAIT:
		n = hb__inside(e, n);
		return n && walk(e, n->cell.kind == HB__N_LOOP ? n->wait.inside : n, behind, f);
	case HB__N_SEQ:
	case HB__N_STRICT:
		return walk_sequence(e, n, behind, f);
	case HB__N_PAR:
	case HB__N_CHOICE:
		return walk(e, n->pair.a, behind, f) && walk(e, n->pair.b, behind, f);
	default:
		return true;
	}
}

static int in_order(const void *a, const void *b, void *user)
{
	const struct hb__front *x = a, *y = b;
	const hb__node *n = x->atom, *m = y->atom;
	int64_t d = process_of(x) - process_of(y);
	if (!d)
		d = (int64_t)n->atom.form->line - (int64_t)m->atom.form->line;
	if (!d)
		d = (int64_t)n->atom.form->column - (int64_t)m->atom.form->column;
	if (!d)
		d = (int64_t)hb__ends(n) - (int64_t)hb__ends(m);
	for (uint32_t i = 0; !d && i < n->atom.form->n && i < m->atom.form->n; i++)
		d = hb__compare_values_of(user, hb__atom_keys(n)[i], hb__atom_keys(m)[i]);
	return d < 0 ? -1 : d > 0;
}

bool hb__first_of(struct hb__engine *e, hb__node *n, struct hb__first *f)
{
	f->n = 0;
	if (n && !walk(e, n, NULL, f))
		return e->p->failed ? false : hb__pattern_no_memory(e->p) != NULL;
	size_t keys = 0;
	for (size_t i = 0; i < f->n; i++)
		keys += f->at[i].atom->atom.form->n;
	if (!HB_GROW(f->next, f->next_room, f->n + 1) || !HB_GROW(f->key, f->key_room, keys + 1))
		return hb__pattern_no_memory(e->p);
	if (f->n)
		qsort_r(f->at, f->n, sizeof *f->at, in_order, &e->p->values);
	hb_pattern_value *k = f->key;
	for (size_t i = 0; i < f->n; i++) {
		hb__node *atom = f->at[i].atom;
		int64_t to = atom->atom.to;
		f->next[i] = (hb_pattern_next){.binding = atom->atom.form->number,
			.half = f->at[i].half,
			.key = k,
			.line = atom->atom.form->line,
			.process = (uint32_t)process_of(&f->at[i]),
			.after = f->at[i].after,
			.peer = to < 0                            ? -1
				: f->at[i].half == HB_PATTERN_END ? atom->atom.from
								  : to};
		for (uint32_t j = 0; j < atom->atom.form->n; j++) {
			hb__value v = hb__atom_keys(atom)[j];
			*k++ = (hb_pattern_value){hb__is_text(v), hb__is_text(v) ? v - HB__TEXTS : v};
		}
	}
	return !e->p->failed;
}

void hb__first_free(struct hb__first *f)
{
	free(f->at);
	free(f->next);
	free(f->key);
}
