/* What is known of patterns before any event: who can do the first event, who must take part, who may, whether there is a way through,
 * and which parameters matter for that. Each is a fixpoint over the definitions. */
#include <string.h>

#include "rules/pattern/language/ast.h"

/* ---- sets of processes as expressions ---- */

static bool has(const struct hb__procs *s, const struct hb__expr *e)
{
	for (int i = 0; i < s->n; i++)
		if (hb__same_expr(s->at[i], e))
			return true;
	return false;
}

static void add(struct hb__procs *s, const struct hb__expr *e)
{
	if (has(s, e))
		return;
	if (s->n == HB__PROCS)
		s->unknown = true;
	else
		s->at[s->n++] = e;
}

static struct hb__procs both(struct hb__procs a, const struct hb__procs *b)
{
	for (int i = 0; i < b->n; i++)
		add(&a, b->at[i]);
	a.unknown |= b->unknown;
	return a;
}

static struct hb__procs without(const struct hb__procs *a, const struct hb__procs *b)
{
	struct hb__procs s = {.unknown = a->unknown};
	for (int i = 0; i < a->n; i++)
		if (!has(b, a->at[i]))
			s.at[s.n++] = a->at[i];
	return s;
}

static struct hb__procs common(const struct hb__procs *a, const struct hb__procs *b)
{
	struct hb__procs s = {0};
	for (int i = 0; i < a->n; i++)
		if (has(b, a->at[i]))
			s.at[s.n++] = a->at[i];
	return s;
}

/* Where a variable's place ends: what depends on it is not known outside. */
static struct hb__procs outside(const struct hb__procs *a, uint32_t slot)
{
	struct hb__procs s = {.unknown = a->unknown};
	for (int i = 0; i < a->n; i++)
		if (hb__variables(a->at[i]) & 1u << slot)
			s.unknown = true;
		else
			s.at[s.n++] = a->at[i];
	return s;
}

/* Of a definition, in the words of a call of it. */
static struct hb__procs of_call(const struct hb__procs *def, const struct hb__form *call)
{
	struct hb__procs s = {.unknown = def->unknown};
	for (int i = 0; i < def->n; i++)
		if (def->at[i]->kind == HB__E_VAR)
			add(&s, call->arg[def->at[i]->value]);
		else if (!hb__variables(def->at[i]))
			add(&s, def->at[i]);
		else
			s.unknown = true;
	return s;
}

/* ---- of a form, from its parts ---- */

static bool constant_above_0(const struct hb__expr *e)
{
	return e->kind == HB__E_CONST && hb__is_number(e->value) && e->value > 0;
}

static bool binds(const struct hb__form *f)
{
	return f->kind == HB__F_ANY || f->kind == HB__F_ALL || f->kind == HB__F_EACH_IN_TURN;
}

static struct hb__procs must_of(const hb_pattern *p, const struct hb__form *f)
{
	struct hb__procs s = {0};
	switch (f->kind) {
	case HB__F_INTERACTION:
		add(&s, f->from);
		if (f->to)
			add(&s, f->to);
		break;
	case HB__F_CALL:
		s = of_call(&p->defs[f->number].must, f);
		break;
	case HB__F_CHOICE:
		s = common(&f->a->must, &f->b->must);
		break;
	case HB__F_SEQ:
	case HB__F_STRICT:
	case HB__F_PAR:
		s = both(f->a->must, &f->b->must);
		break;
	case HB__F_ANY:
		s = outside(&f->a->must, f->slot);
		break;
	case HB__F_WHEN:
		s = f->a->must;
		break;
	case HB__F_REPEAT:
		if (constant_above_0(f->from))
			s = f->a->must;
		break;
	default:
		break;
	}
	s.unknown = false;
	return s;
}

static struct hb__procs first_of(const hb_pattern *p, const struct hb__form *f)
{
	struct hb__procs s = {0};
	switch (f->kind) {
	case HB__F_NOTHING:
		return s;
	case HB__F_INTERACTION:
		add(&s, f->from);
		return s;
	case HB__F_CALL:
		return of_call(&p->defs[f->number].first, f);
	case HB__F_SEQ:
		s = without(&f->b->first, &f->a->must);
		return both(f->a->first, &s);
	case HB__F_STRICT:
	case HB__F_PAR:
	case HB__F_CHOICE:
		return both(f->a->first, &f->b->first);
	default:
		return binds(f) ? outside(&f->a->first, f->slot) : f->a->first;
	}
}

static struct hb__procs may_of(const hb_pattern *p, const struct hb__form *f)
{
	struct hb__procs s = {0};
	switch (f->kind) {
	case HB__F_NOTHING:
		return s;
	case HB__F_INTERACTION:
		return f->must;
	case HB__F_CALL:
		return of_call(&p->defs[f->number].may, f);
	default:
		if (f->b)
			return both(f->a->may, &f->b->may);
		return binds(f) ? outside(&f->a->may, f->slot) : f->a->may;
	}
}

static bool sure_of(const hb_pattern *p, const struct hb__form *f)
{
	switch (f->kind) {
	case HB__F_CALL:
		return p->defs[f->number].sure;
	case HB__F_SEQ:
	case HB__F_STRICT:
	case HB__F_PAR:
		return f->a->sure && f->b->sure;
	case HB__F_CHOICE:
		return f->a->sure || f->b->sure;
	case HB__F_ANY:
	case HB__F_WHEN:
		return false;
	case HB__F_REPEAT:
	case HB__F_ALL:
	case HB__F_EACH_IN_TURN:
		return f->a->sure;
	default:
		return true;
	}
}

static bool possible(const hb_pattern *p, const struct hb__form *f)
{
	switch (f->kind) {
	case HB__F_CALL:
		return p->defs[f->number].possible;
	case HB__F_SEQ:
	case HB__F_STRICT:
	case HB__F_PAR:
		return possible(p, f->a) && possible(p, f->b);
	case HB__F_CHOICE:
		return possible(p, f->a) || possible(p, f->b);
	case HB__F_ANY:
	case HB__F_WHEN:
		return possible(p, f->a);
	default:
		return true; /* a loop can be left out, a set be empty */
	}
}

/* The variables that decide which ways there are, and whose. */
static uint32_t relevant(const hb_pattern *p, const struct hb__form *f)
{
	uint32_t set = f->from ? hb__variables(f->from) : 0;
	if (f->to)
		set |= hb__variables(f->to);
	if (f->kind == HB__F_CALL)
		for (uint32_t i = 0; i < f->n; i++)
			if (p->defs[f->number].relevant & 1u << i)
				set |= hb__variables(f->arg[i]);
	if (f->a)
		set |= relevant(p, f->a);
	return f->b ? set | relevant(p, f->b) : set;
}

/* Parts before what is made of them. True: something changed. */
static bool walk_must(const hb_pattern *p, struct hb__form *f)
{
	bool changed = f->a && walk_must(p, f->a);
	if (f->b)
		changed |= walk_must(p, f->b);
	struct hb__procs must = must_of(p, f);
	bool sure = sure_of(p, f);
	changed |= sure != f->sure || must.n != f->must.n;
	f->must = must;
	f->sure = sure;
	return changed;
}

static bool walk_first(const hb_pattern *p, struct hb__form *f)
{
	bool changed = f->a && walk_first(p, f->a);
	if (f->b)
		changed |= walk_first(p, f->b);
	struct hb__procs first = first_of(p, f), may = may_of(p, f);
	changed |= first.n != f->first.n || first.unknown != f->first.unknown || may.n != f->may.n ||
		   may.unknown != f->may.unknown;
	f->first = first;
	f->may = may;
	return changed;
}

/* Nobody must: what is always true. */
static void forget_must(struct hb__form *f)
{
	f->must.n = f->kind == HB__F_INTERACTION ? f->must.n : 0;
	if (f->a)
		forget_must(f->a);
	if (f->b)
		forget_must(f->b);
}

#define ROUNDS 64 /* far more than definitions that people write need */

static void settle_must(hb_pattern *p)
{
	bool changed = true;
	for (int round = 0; changed && round < ROUNDS; round++) {
		changed = false;
		for (size_t i = 0; i < p->ndefs; i++) {
			struct hb__def *d = &p->defs[i];
			if (!d->body)
				continue;
			changed |= walk_must(p, d->body);
			d->must = d->body->must;
			d->sure = d->body->sure;
		}
	}
	for (size_t i = 0; changed && i < p->ndefs; i++)
		if (p->defs[i].body) {
			forget_must(p->defs[i].body);
			p->defs[i].must.n = 0;
		}
}

static void settle_first(hb_pattern *p)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < p->ndefs; i++) {
			struct hb__def *d = &p->defs[i];
			if (!d->body)
				continue;
			changed |= walk_first(p, d->body);
			d->first = d->body->first;
			d->may = d->body->may;
			bool can = possible(p, d->body);
			uint32_t matters = relevant(p, d->body) & ((1u << d->nparams) - 1);
			changed |= can != d->possible || matters != d->relevant;
			d->possible = can;
			d->relevant = matters;
		}
	}
}

bool hb__analyse(hb_pattern *p)
{
	for (size_t i = 0; i < p->ndefs; i++)
		if (p->defs[i].nparams > 30)
			return hb__wrong(p, p->defs[i].line, 1, "more than 30 parameters");
	settle_must(p);
	settle_first(p);
	for (size_t i = 0; i < p->ndefs; i++)
		if (p->defs[i].body && !p->defs[i].possible)
			return hb__wrong(p, p->defs[i].line, 1,
				"%s never comes to an end: each way through it leads to itself again; add an alternative that does not",
				p->defs[i].name);
	for (size_t i = 0; i < p->nparts; i++) {
		walk_must(p, p->parts[i].body);
		walk_first(p, p->parts[i].body);
	}
	return true;
}
