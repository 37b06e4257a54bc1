/* Which part of run an event belongs to, and where the keys of its each stand among the keys of the event. */
#include <string.h>

#include "rules/pattern/language/ast.h"

#define CONTEXTS 1024 /* ways in which definitions get keys as parameters */

/* A definition, with what is known of its variables: the key that each is; -1: not known. */
struct context {
	uint32_t def;
	int8_t key[HB__SLOTS];
};
struct walk {
	hb_pattern *p;
	uint32_t part;
	struct context seen[CONTEXTS];
	uint32_t n, done;
	uint32_t (*positions)
		[HB__SLOTS]; /* of each binding: a bit for each of its keys that is this key of the part, wherever it stands */
};

static int8_t key_of(const struct hb__expr *e, const int8_t *known)
{
	return e->kind == HB__E_VAR ? known[e->value] : -1;
}

static bool mentioned(struct walk *w, const struct hb__form *f, const int8_t *known)
{
	hb_pattern *p = w->p;
	struct hb__route *r = &p->routes[f->number];
	const struct hb__part *part = &p->parts[w->part];
	if (r->part != HB_NO && r->part != w->part)
		return hb__wrong(p, f->line, f->column,
			"%s stands in two parts of run (also in line %u): an interaction belongs to one `each`",
			p->bindings[f->number].name, r->line);
	bool first = r->part == HB_NO;
	if (first) {
		r->part = w->part;
		r->line = f->line;
	}
	for (uint32_t k = 0; k < part->nkeys; k++) {
		uint32_t at = 0;
		for (uint32_t i = 0; i < f->n && i < 32; i++)
			if (key_of(f->arg[i], known) == (int8_t)k)
				at |= 1u << i;
		uint32_t *all = &w->positions[f->number][k];
		*all = first ? at : *all & at;
		if (!*all)
			return hb__wrong(p, f->line, f->column,
				"%s does not carry the key %s of `each` (line %u) at the same place everywhere",
				p->bindings[f->number].name, part->key_name[k], part->line);
		r->at[k] = (uint8_t)__builtin_ctz(*all);
	}
	return true;
}

static bool called(struct walk *w, const struct hb__form *f, const int8_t *known)
{
	struct context c = {.def = f->number};
	memset(c.key, -1, sizeof c.key);
	for (uint32_t i = 0; i < f->n; i++)
		c.key[i] = key_of(f->arg[i], known);
	for (uint32_t i = 0; i < w->n; i++)
		if (w->seen[i].def == c.def && !memcmp(w->seen[i].key, c.key, sizeof c.key))
			return true;
	if (w->n == CONTEXTS)
		return hb__wrong(w->p, f->line, f->column,
			"patterns get the keys of `each` in more than %d different ways", CONTEXTS);
	w->seen[w->n++] = c;
	return true;
}

static bool walk(struct walk *w, const struct hb__form *f, int8_t *known)
{
	if (f->kind == HB__F_INTERACTION)
		return mentioned(w, f, known);
	if (f->kind == HB__F_CALL)
		return called(w, f, known);
	bool binds = f->kind == HB__F_ANY || f->kind == HB__F_ALL || f->kind == HB__F_EACH_IN_TURN;
	if (binds)
		known[f->slot] = -1;
	return (!f->a || walk(w, f->a, known)) && (!f->b || walk(w, f->b, known));
}

static bool route_part(struct walk *w)
{
	int8_t known[HB__SLOTS];
	memset(known, -1, sizeof known);
	for (uint32_t k = 0; k < w->p->parts[w->part].nkeys; k++)
		known[k] = (int8_t)k;
	w->n = w->done = 0;
	if (!walk(w, w->p->parts[w->part].body, known))
		return false;
	for (; w->done < w->n; w->done++) {
		memcpy(known, w->seen[w->done].key, sizeof known);
		if (!walk(w, w->p->defs[w->seen[w->done].def].body, known))
			return false;
	}
	return true;
}

bool hb__route(hb_pattern *p)
{
	struct walk *w = hb__take(p, sizeof *w);
	p->routes = hb__take(p, (p->nbindings + 1) * sizeof *p->routes);
	if (!w || !p->routes || !(w->positions = hb__take(p, (p->nbindings + 1) * sizeof *w->positions)))
		return false;
	w->p = p;
	for (size_t i = 0; i < p->nbindings; i++)
		p->routes[i].part = HB_NO;
	for (; w->part < p->nparts; w->part++)
		if (!route_part(w))
			return false;
	return true;
}
