/* One event: what is left of an expression behind it. */
#include <string.h>

#include "rules/pattern/check/node.h"

/* Both ways are followed. */
static hb__node *merge(struct hb__engine *e, hb__node *a, hb__node *b)
{
	if (!a || !b)
		return a ? a : b;
	hb__node *both = hb__choice(e, a, b);
	if (both && both->cell.kind == HB__N_CHOICE)
		((struct hb__node *)(uintptr_t)both)->cell.several = true;
	return both;
}

/* Of a list of ways, what is left of each behind the event, or without the process `gone` when it is not -1: merged in halves, since a list that grows one by one is copied for each. */
static hb__node *unite(struct hb__engine *e, hb__node **way, size_t n, bool several)
{
	if (n < 2)
		return n ? way[0] : NULL;
	hb__node *a = unite(e, way, n / 2, several), *b = unite(e, way + n / 2, n - n / 2, several);
	return several ? merge(e, a, b) : hb__choice(e, a, b);
}

static hb__node *each_way(struct hb__engine *e, hb__node *list, int64_t gone)
{
	hb__node *way[8], **ways = way;
	size_t n = 1, at = 0;
	for (hb__node *rest = list; rest->cell.kind == HB__N_CHOICE; rest = rest->pair.b)
		n++;
	if (n > sizeof way / sizeof *way) {
		struct hb__cell *room = hb__cell(e, HB__N_ENV, sizeof *room + n * sizeof *way);
		if (!room)
			return NULL;
		ways = (hb__node **)(room + 1);
	}
	for (hb__node *rest = list; rest; rest = rest->cell.kind == HB__N_CHOICE ? rest->pair.b : NULL) {
		hb__node *one = rest->cell.kind == HB__N_CHOICE ? rest->pair.a : rest;
		ways[at] = gone >= 0 ? hb__prune(e, one, gone) : hb__derive(e, one);
		at += ways[at] != NULL;
	}
	return unite(e, ways, at, gone < 0);
}

/* ---- a process takes no more part ---- */

static hb__node *prune_waiting(struct hb__engine *e, hb__node *n, int64_t process)
{
	if (n->wait.inside && n->cell.kind == HB__N_WAIT)
		return hb__prune(e, n->wait.inside, process);
	if (n->cell.kind == HB__N_LOOP && n->wait.inside->must & hb__process_bit(process))
		return &hb__empty;
	const struct hb__gone *gone = hb__gone_with(e, n->wait.gone, process);
	if (!gone)
		return NULL;
	if (n->cell.kind == HB__N_WAIT)
		return n->wait.at && !hb__alive(e, n->wait.form, n->wait.env->slot, gone)
			       ? NULL
			       : hb__wait(e, n->wait.form, n->wait.env, gone, n->wait.at);
	return hb__expand(e, n->wait.form, n->wait.env, gone);
}

hb__node *hb__prune(struct hb__engine *e, hb__node *n, int64_t process)
{
	uint64_t bit = hb__process_bit(process);
	if (!n || !(n->may & bit))
		return n;
	if (n->must & bit) /* there are none where two processes have one bit */
		return NULL;
	hb__node *a;
	switch (n->cell.kind) {
	case HB__N_ATOM:
		return n->atom.from == process || n->atom.to == process ? NULL : n;
	case HB__N_OPEN:
		return hb__ends(n->open.atom) == process ? NULL : n;
	case HB__N_WAIT:
	case HB__N_LOOP:
		return prune_waiting(e, n, process);
	case HB__N_SEQ:
		a = hb__prune(e, n->pair.a, process);
		return a ? hb__seq(e, a, hb__prune(e, n->pair.b, process), n->pair.m) : NULL;
	case HB__N_STRICT:
		a = hb__prune(e, n->pair.a, process);
		return a ? hb__strict(e, a, hb__prune(e, n->pair.b, process), n->pair.m) : NULL;
	case HB__N_PAR:
		a = hb__prune(e, n->pair.a, process);
		return a ? hb__par(e, a, hb__prune(e, n->pair.b, process)) : NULL;
	case HB__N_CHOICE:
		return each_way(e, n, process);
	default:
		return n;
	}
}

/* ---- the event ---- */

static bool keys_fit(const struct hb__engine *e, hb__node *atom)
{
	return atom->atom.label == e->label && atom->atom.form->number == e->binding &&
	       !memcmp(hb__atom_keys(atom), e->key, e->nkeys * sizeof *e->key);
}

static hb__node *derive_atom(struct hb__engine *e, hb__node *n)
{
	if (e->half != HB_PATTERN_BEGIN || n->atom.from != e->process || !keys_fit(e, n) ||
		(n->atom.to >= 0 && e->peer >= 0 && e->peer != n->atom.to))
		return NULL;
	return e->p->bindings[e->binding].halves == 1 ? &hb__empty : hb__open(e, n, e->id);
}

static hb__node *derive_open(struct hb__engine *e, hb__node *n)
{
	hb__node *atom = n->open.atom;
	bool message = atom->atom.to >= 0;
	if (e->half != HB_PATTERN_END || hb__ends(atom) != e->process || !keys_fit(e, atom) ||
		(message && e->peer >= 0 && e->peer != atom->atom.from))
		return NULL;
	e->several_sent |= e->sent != HB_PATTERN_NONE && e->sent != n->open.id;
	e->sent = n->open.id;
	return e->ask_sent && message && !e->before(e->user, n->open.id, e->id) ? NULL : &hb__empty;
}

static hb__node *derive_seq(struct hb__engine *e, hb__node *n)
{
	hb__node *left = hb__derive(e, n->pair.a), *b = n->pair.b, *right = NULL;
	uint64_t bit = e->process_bit;
	if (b->cell.kind == HB__N_WAIT) /* when it is not looked into, none of its events can come yet */
		b = b->wait.inside;
	if (b && !(n->pair.a->must & bit))
		right = hb__derive(e, b);
	if (right)
		right = hb__seq(e, hb__prune(e, n->pair.a, e->process), right, n->pair.m);
	if (!left)
		return right;
	const struct hb__map *m = n->pair.b->may & bit ? hb__map_add(e, n->pair.m, e->process, e->id) : n->pair.m;
	return merge(e, hb__seq(e, left, n->pair.b, m), right);
}

static hb__node *derive_strict(struct hb__engine *e, hb__node *n)
{
	hb__node *left = hb__derive(e, n->pair.a), *right = n->pair.a->cell.nullable ? hb__derive(e, n->pair.b) : NULL;
	const struct hb__map *m = n->pair.m;
	for (uint64_t i = 0; right && m && i < m->n; i++)
		if (!e->before(e->user, m->at[i].id, e->id)) {
			if (!e->misordered)
				e->misordered_by = m->at[i].id;
			e->misordered = true;
			right = NULL;
		}
	if (right)
		right = hb__strict(e, &hb__empty, right, m);
	if (left)
		left = hb__strict(e, left, n->pair.b, hb__map_add(e, m, e->process, e->id));
	return merge(e, left, right);
}

hb__node *hb__derive(struct hb__engine *e, hb__node *n)
{
	if ((n->filter & e->bits) != e->bits || !(n->may & e->process_bit) || e->undecided || e->p->failed)
		return NULL;
	hb__node *left, *right;
	switch (n->cell.kind) {
	case HB__N_ATOM:
		return derive_atom(e, n);
	case HB__N_OPEN:
		return derive_open(e, n);
	case HB__N_SEQ:
		return derive_seq(e, n);
	case HB__N_STRICT:
		return derive_strict(e, n);
	case HB__N_PAR:
		left = hb__derive(e, n->pair.a);
		right = hb__derive(e, n->pair.b);
		if (left)
			left = hb__par(e, left, n->pair.b);
		return right ? merge(e, left, hb__par(e, n->pair.a, right)) : left;
	case HB__N_CHOICE:
		return each_way(e, n, -1);
	case HB__N_LOOP:
		left = hb__derive(e, n->wait.inside);
		if (!left)
			return NULL;
		/* rounds before it, which the process had no part in, may still come */
		right = hb__seq(e, left, n, hb__map_add(e, NULL, e->process, e->id));
		return hb__seq(e, hb__prune(e, n, e->process), right, NULL);
	default:
		return NULL;
	}
}
