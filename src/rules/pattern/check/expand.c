/* Forms to expressions: what a pattern begins with is looked into, what stands behind it waits. */
#include <string.h>

#include "rules/pattern/check/node.h"

#define NESTED 1500 /* calls without an event between them */

/* ---- variables ---- */

const struct hb__env *hb__finish_env(struct hb__env *env, uint32_t n)
{
	uint64_t h = n + 1;
	for (uint32_t i = 0; i < n; i++)
		h = hb__mix(h, (uint64_t)env->slot[i]);
	env->cell.hash = h;
	return env;
}

static const struct hb__env *env_with(struct hb__engine *e, const struct hb__env *env, uint32_t slot, hb__value v)
{
	struct hb__env *to = hb__cell(e, HB__N_ENV, env->cell.bytes);
	if (!to)
		return NULL;
	uint32_t n = hb__env_slots(env);
	memcpy(to->slot, env->slot, n * sizeof *env->slot);
	to->slot[slot] = v;
	return hb__finish_env(to, n);
}

static const struct hb__env *env_of_call(struct hb__engine *e, const struct hb__form *f, const struct hb__env *env)
{
	uint32_t n = e->p->defs[f->number].nslots;
	struct hb__env *to = hb__cell(e, HB__N_ENV, sizeof *to + n * sizeof *to->slot);
	if (!to)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		to->slot[i] = i < f->n ? hb__eval(e->p, f->arg[i], env->slot) : 0;
	return e->p->failed ? NULL : hb__finish_env(to, n);
}

/* ---- processes that are known beforehand ---- */

/* Their bits. `if_unknown`: when some are not known. */
static uint64_t processes(
	struct hb__engine *e, const struct hb__procs *s, const struct hb__env *env, uint64_t if_unknown)
{
	uint64_t set = s->unknown ? if_unknown : 0;
	for (int i = 0; i < s->n && set != ~(uint64_t)0; i++) {
		hb__value v = hb__eval(e->p, s->at[i], env->slot);
		if (e->p->failed) { /* it may never be needed: then it is no mistake */
			e->p->failed = false;
			set |= if_unknown;
		} else {
			set |= hb__process_bit(v);
		}
	}
	return set;
}

static uint64_t all_processes(const struct hb__engine *e)
{
	return e->p->processes >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << e->p->processes) - 1;
}

/* For more processes than a word has bits: whether a can be through without q. */
static bool without(struct hb__engine *e, hb__node *a, int64_t q)
{
	if (!(a->may & hb__process_bit(q)))
		return true;
	switch (a->cell.kind) {
	case HB__N_ATOM:
		return a->atom.from != q && a->atom.to != q;
	case HB__N_OPEN:
		return hb__ends(a->open.atom) != q;
	case HB__N_SEQ:
	case HB__N_STRICT:
	case HB__N_PAR:
		return without(e, a->pair.a, q) && without(e, a->pair.b, q);
	case HB__N_CHOICE:
		return without(e, a->pair.a, q) || without(e, a->pair.b, q);
	case HB__N_WAIT: {
		const struct hb__procs *must = &a->wait.form->must;
		for (int i = 0; i < must->n; i++)
			if (hb__eval(e->p, must->at[i], a->wait.env->slot) == q && !e->p->failed)
				return false;
		e->p->failed = false;
		return true;
	}
	default:
		return true;
	}
}

bool hb__blocked(struct hb__engine *e, hb__node *a, hb__node *b)
{
	if (!((b->may & all_processes(e)) & ~a->must))
		return true;
	if (b->cell.kind != HB__N_WAIT || b->wait.inside || b->wait.form->first.unknown || b->wait.at)
		return false;
	const struct hb__procs *first = &b->wait.form->first;
	for (int i = 0; i < first->n; i++) {
		hb__value q = hb__eval(e->p, first->at[i], b->wait.env->slot);
		bool known = !e->p->failed;
		e->p->failed = false;
		if (!known || (e->p->processes <= 64 ? !(a->must & hb__process_bit(q)) : without(e, a, q)))
			return false;
	}
	return true;
}

/* ---- forms ---- */

struct hb__node *hb__new_atom(struct hb__engine *e, const struct hb__form *f, int32_t from, int32_t to)
{
	struct hb__node *n =
		hb__cell(e, HB__N_ATOM, offsetof(struct hb__node, atom) + sizeof n->atom + f->n * sizeof(hb__value));
	if (!n)
		return NULL;
	n->atom.form = f;
	n->atom.from = from;
	n->atom.to = to;
	n->may = hb__process_bit(from) | (to >= 0 ? hb__process_bit(to) : 0);
	n->must = e->p->processes <= 64 ? n->may : 0;
	return n;
}

hb__node *hb__finish_atom(struct hb__node *n)
{
	int32_t from = n->atom.from, to = n->atom.to;
	n->atom.label = hb__label(n->atom.form->number, hb__atom_keys(n), n->atom.form->n);
	n->cell.hash = hb__mix(n->atom.label, (uint64_t)(uint32_t)from << 32 | (uint32_t)to);
	n->filter = hb__event_bits(n->atom.label, HB_PATTERN_BEGIN, from);
	return n;
}

static hb__node *atom(
	struct hb__engine *e, const struct hb__form *f, const struct hb__env *env, const struct hb__gone *gone)
{
	int64_t from = hb__process_value(e, f->from, env->slot),
		to = f->to ? hb__process_value(e, f->to, env->slot) : -1;
	if (e->p->failed || hb__is_gone(gone, from) || hb__is_gone(gone, to))
		return NULL;
	struct hb__node *n = hb__new_atom(e, f, (int32_t)from, (int32_t)to);
	if (!n)
		return NULL;
	hb__value *key = hb__atom_keys(n);
	for (uint32_t i = 0; i < f->n; i++) {
		key[i] = hb__eval(e->p, f->arg[i], env->slot);
		if (hb__is_set(key[i]))
			return hb__wrong(e->p, f->line, f->column,
				"key %u of %s is a set here: a number or a text wanted", i + 1,
				e->p->bindings[f->number].name);
	}
	return e->p->failed ? NULL : hb__finish_atom(n);
}

struct hb__node *hb__waiting(struct hb__engine *e, int kind, const struct hb__form *f, const struct hb__env *env,
	const struct hb__gone *gone, int64_t at)
{
	struct hb__node *n = hb__cell(e, kind, offsetof(struct hb__node, wait) + sizeof n->wait);
	if (!n)
		return NULL;
	n->cell.hash = hb__mix(hb__mix((uint64_t)kind << 32 | f->index, env->cell.hash), (uint64_t)at);
	for (uint64_t i = 0; gone && i < gone->n; i++)
		n->cell.hash = hb__mix(n->cell.hash, (uint64_t)gone->process[i]);
	n->filter = n->may = n->must = 0;
	n->wait.form = f;
	n->wait.env = env;
	n->wait.gone = gone;
	n->wait.inside = NULL;
	n->wait.at = at;
	return n;
}

hb__node *hb__wait(struct hb__engine *e, const struct hb__form *f, const struct hb__env *env,
	const struct hb__gone *gone, int64_t at)
{
	if (f->kind == HB__F_INTERACTION)
		return atom(e, f, env, gone);
	if (!at && !hb__alive(e, f, env->slot, gone))
		return NULL;
	struct hb__node *n = hb__waiting(e, HB__N_WAIT, f, env, gone, at);
	if (!n)
		return NULL;
	n->may = processes(e, &f->may, env, ~(uint64_t)0);
	n->must = e->p->processes <= 64 && !at ? processes(e, &f->must, env, 0) : 0;
	return n;
}

hb__node *hb__finish_loop(struct hb__node *n, hb__node *inside)
{
	n->wait.inside = inside;
	n->cell.nullable = true;
	n->cell.height = (uint16_t)(inside->cell.height + 1);
	n->filter = inside->filter;
	n->may = inside->may;
	return n;
}

static hb__node *loop(
	struct hb__engine *e, const struct hb__form *f, const struct hb__env *env, const struct hb__gone *gone)
{
	hb__node *inside = hb__expand(e, f->a, env, gone);
	struct hb__node *n = inside && inside != &hb__empty ? hb__waiting(e, HB__N_LOOP, f, env, gone, 0) : NULL;
	if (!n)
		return e->p->failed ? NULL : &hb__empty;
	return hb__finish_loop(n, inside);
}

/* x || x || ..., as a tree of little height. */
static hb__node *side_by_side(struct hb__engine *e, hb__node **x, size_t n)
{
	if (n < 2)
		return n ? x[0] : &hb__empty;
	return hb__par(e, side_by_side(e, x, n / 2), side_by_side(e, x + n / 2, n - n / 2));
}

static hb__node *for_set(
	struct hb__engine *e, const struct hb__form *f, const struct hb__env *env, const struct hb__gone *gone)
{
	hb__value set = hb__eval_set(e->p, f->from, env->slot);
	size_t n = 0;
	if (!e->p->failed)
		hb__members(&e->p->values, set, &n);
	struct hb__cell *room = hb__cell(e, HB__N_ENV, sizeof *room + (n + 1) * sizeof(hb__node *));
	hb__node **each = (hb__node **)(room + 1), *any = NULL;
	for (size_t i = 0; i < n && room && !e->p->failed && !e->undecided; i++) {
		const struct hb__env *inner = env_with(e, env, f->slot, hb__members(&e->p->values, set, &n)[i]);
		each[i] = inner ? hb__expand(e, f->a, inner, gone) : NULL;
		if (f->kind == HB__F_ANY)
			any = hb__choice(e, any, each[i]);
		else if (!each[i])
			return NULL;
	}
	if (e->p->failed || e->undecided || !room)
		return NULL;
	return f->kind == HB__F_ANY ? any : side_by_side(e, each, n);
}

/* The one that has number `at`; then the others, when it is time. */
static hb__node *in_turn(struct hb__engine *e, const struct hb__form *f, const struct hb__env *env,
	const struct hb__gone *gone, int64_t at)
{
	size_t n = 0;
	const struct hb__env *inner = env;
	if (f->kind == HB__F_REPEAT) {
		int64_t times = hb__eval_number(e->p, f->from, env->slot, "how often, a number");
		n = times > 0 ? (size_t)times : 0;
	} else {
		hb__value set = hb__eval_set(e->p, f->from, env->slot);
		const int64_t *member = e->p->failed ? NULL : hb__members(&e->p->values, set, &n);
		if (member && (size_t)at < n)
			inner = env_with(e, env, f->slot, member[at]);
	}
	if (e->p->failed || !inner || (size_t)at >= n)
		return e->p->failed || !inner ? NULL : &hb__empty;
	hb__node *x = hb__expand(e, f->a, inner, gone);
	if (!x || (size_t)at + 1 == n)
		return x;
	struct hb__node *rest = (struct hb__node *)(uintptr_t)hb__wait(e, f, env, gone, at + 1);
	if (rest && f->kind == HB__F_REPEAT) /* the same again */
		rest->may = x->may;
	return hb__seq(e, x, rest, NULL);
}

static hb__node *call(
	struct hb__engine *e, const struct hb__form *f, const struct hb__env *env, const struct hb__gone *gone)
{
	const struct hb__def *d = &e->p->defs[f->number];
	if (!hb__alive(e, f, env->slot, gone))
		return NULL;
	if (e->depth >= NESTED)
		return hb__wrong(e->p, f->line, f->column,
			"%s calls itself again and again, and no event must come before: use a loop, or let an event stand first",
			d->name);
	e->depth++;
	const struct hb__env *inner = env_of_call(e, f, env);
	hb__node *n = inner ? hb__expand(e, d->body, inner, gone) : NULL;
	e->depth--;
	return n;
}

static hb__node *expand_at(struct hb__engine *e, const struct hb__form *f, const struct hb__env *env,
	const struct hb__gone *gone, int64_t at)
{
	hb__node *a;
	if (e->p->failed || e->undecided)
		return NULL;
	switch (f->kind) {
	case HB__F_NOTHING:
		return &hb__empty;
	case HB__F_INTERACTION:
		return atom(e, f, env, gone);
	case HB__F_CALL:
		return call(e, f, env, gone);
	case HB__F_SEQ:
		a = hb__expand(e, f->a, env, gone);
		return a ? hb__seq(e, a, hb__wait(e, f->b, env, gone, 0), NULL) : NULL;
	case HB__F_STRICT:
		a = hb__expand(e, f->a, env, gone);
		return a ? hb__strict(e, a, hb__wait(e, f->b, env, gone, 0), NULL) : NULL;
	case HB__F_PAR:
		a = hb__expand(e, f->a, env, gone);
		return a ? hb__par(e, a, hb__expand(e, f->b, env, gone)) : NULL;
	case HB__F_CHOICE:
		a = hb__expand(e, f->a, env, gone);
		return hb__choice(e, a, hb__expand(e, f->b, env, gone));
	case HB__F_OPTIONAL:
		a = hb__expand(e, f->a, env, gone);
		return hb__choice(e, &hb__empty, a);
	case HB__F_LOOP:
		return loop(e, f, env, gone);
	case HB__F_WHEN:
		return hb__eval_number(e->p, f->from, env->slot, "a condition") && !e->p->failed
			       ? hb__expand(e, f->a, env, gone)
			       : NULL;
	case HB__F_ANY:
	case HB__F_ALL:
		return for_set(e, f, env, gone);
	default:
		return in_turn(e, f, env, gone, at);
	}
}

hb__node *hb__expand(
	struct hb__engine *e, const struct hb__form *f, const struct hb__env *env, const struct hb__gone *gone)
{
	return expand_at(e, f, env, gone, 0);
}

hb__node *hb__inside(struct hb__engine *e, hb__node *n)
{
	if (!n || n->cell.kind != HB__N_WAIT)
		return n;
	if (!n->wait.inside) {
		if (e->depth >= NESTED)
			return hb__wrong(e->p, n->wait.form->line, n->wait.form->column,
				"more than %d parts can begin at once: is there an end to them?", NESTED);
		e->depth++;
		hb__node *inside = expand_at(e, n->wait.form, n->wait.env, n->wait.gone, n->wait.at);
		e->depth--;
		((struct hb__node *)(uintptr_t)n)->wait.inside = inside;
	}
	return n->wait.inside;
}
