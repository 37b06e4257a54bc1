/* Whether there is a way through a form at all, with some processes taking no part in it. Answers for calls are kept: they depend on
 * the parameters that conditions, sets and processes are made of, and on nothing else. */
#include <stdlib.h>

#include "rules/pattern/check/node.h"

#define NESTED 1500 /* calls */

enum { OPEN = 1, NO, YES };

bool hb__is_gone(const struct hb__gone *g, int64_t process)
{
	for (uint64_t i = 0; g && i < g->n; i++)
		if (g->process[i] == process)
			return true;
	return false;
}

const struct hb__gone *hb__gone_with(struct hb__engine *e, const struct hb__gone *g, int64_t process)
{
	if (hb__is_gone(g, process))
		return g;
	uint64_t n = g ? g->n : 0, i = 0;
	struct hb__gone *to = hb__cell(e, HB__N_GONE, sizeof *to + (n + 1) * sizeof *to->process);
	if (!to)
		return NULL;
	to->n = n + 1;
	for (; i < n && g->process[i] < process; i++)
		to->process[i] = g->process[i];
	to->process[i] = process;
	for (; i < n; i++)
		to->process[i + 1] = g->process[i];
	return to;
}

int64_t hb__process_value(struct hb__engine *e, const struct hb__expr *expr, const hb__value *slot)
{
	int64_t v = hb__eval_number(e->p, expr, slot, "a process");
	if (!e->p->failed && (v < 0 || v >= e->p->processes))
		hb__wrong(e->p, expr->line, expr->column,
			"there is no process %lld: there are %u, from 0 on; `any` over a set or `when` can leave it out",
			(long long)v, e->p->processes);
	return e->p->failed ? -1 : v;
}

/* ---- kept answers ---- */

static bool more_slots(struct hb__engine *e)
{
	size_t slots = e->known_slots ? e->known_slots * 2 : 256;
	struct hb__known *to = calloc(slots, sizeof *to);
	if (!to)
		return hb__pattern_no_memory(e->p);
	for (size_t i = 0; i < e->known_slots; i++)
		if (e->known[i].hash) {
			size_t at = e->known[i].hash & (slots - 1);
			while (to[at].hash)
				at = (at + 1) & (slots - 1);
			to[at] = e->known[i];
		}
	free(e->known);
	e->known = to;
	e->known_slots = slots;
	return true;
}

/* Where the answer stands, or may be put: holds until the next one is put. Keys are told apart by 64 bits. */
static struct hb__known *find(struct hb__engine *e, uint64_t hash)
{
	if (e->nknown * 2 >= e->known_slots && !more_slots(e))
		return NULL;
	size_t at = hash & (e->known_slots - 1);
	while (e->known[at].hash && e->known[at].hash != hash)
		at = (at + 1) & (e->known_slots - 1);
	if (!e->known[at].hash) {
		e->known[at].hash = hash;
		e->nknown++;
	}
	return &e->known[at];
}

static uint64_t hash_of(const struct hb__form *f, uint32_t relevant, const hb__value *arg, const struct hb__gone *gone)
{
	uint64_t h = f->number + 1;
	for (uint32_t i = 0; i < f->n; i++)
		if (relevant & 1u << i)
			h = hb__mix(h, (uint64_t)arg[i]);
	for (uint64_t i = 0; gone && i < gone->n; i++)
		h = hb__mix(h + 0x7f4a7c15u, (uint64_t)gone->process[i]);
	return h ? h : 1;
}

static bool alive_call(
	struct hb__engine *e, const struct hb__form *f, const hb__value *slot, const struct hb__gone *gone)
{
	const struct hb__def *d = &e->p->defs[f->number];
	hb__value arg[HB__SLOTS] = {0};
	if (d->sure && !gone)
		return true;
	for (uint32_t i = 0; i < f->n; i++)
		arg[i] = hb__eval(e->p, f->arg[i], slot);
	if (e->p->failed)
		return false;
	uint64_t hash = hash_of(f, d->relevant, arg, gone);
	struct hb__known *k = find(e, hash);
	if (!k || k->answer) {
		e->assumed |= k && k->answer == OPEN;
		return k && k->answer == YES;
	}
	if (e->asking >= NESTED)
		return hb__wrong(e->p, f->line, f->column,
			"%s calls itself more than %d deep: do its arguments run out?", d->name, NESTED);
	k->answer = OPEN;
	bool before = e->assumed, outermost = e->asking == 0;
	e->assumed = false;
	e->asking++;
	bool alive = hb__alive(e, d->body, arg, gone);
	e->asking--;
	if (!(k = find(e, hash)))
		return false;
	/* a no that rests on a call that is still open holds for this time only */
	k->answer = alive ? YES : !e->assumed || outermost ? NO : 0;
	if (e->p->failed)
		k->answer = 0;
	e->assumed |= before;
	return alive;
}

static bool alive_for(
	struct hb__engine *e, const struct hb__form *f, const hb__value *slot, const struct hb__gone *gone)
{
	hb__value inner[HB__SLOTS], set = hb__eval_set(e->p, f->from, slot);
	if (e->p->failed)
		return false;
	size_t n;
	const int64_t *member = hb__members(&e->p->values, set, &n);
	bool any = f->kind == HB__F_ANY;
	if (f->a->sure && !gone)
		return !any || n;
	for (uint32_t i = 0; i < f->slot; i++)
		inner[i] = slot[i];
	for (size_t i = 0; i < n && !e->p->failed; i++) {
		inner[f->slot] = member[i];
		if (hb__alive(e, f->a, inner, gone) == any)
			return any;
		member = hb__members(&e->p->values, set, &n); /* new sets may have moved it */
	}
	return !any;
}

bool hb__alive(struct hb__engine *e, const struct hb__form *f, const hb__value *slot, const struct hb__gone *gone)
{
	if (e->p->failed || (f->sure && !gone))
		return !e->p->failed;
	switch (f->kind) {
	case HB__F_INTERACTION:
		return !gone || (!hb__is_gone(gone, hb__process_value(e, f->from, slot)) &&
					!(f->to && hb__is_gone(gone, hb__process_value(e, f->to, slot))));
	case HB__F_CALL:
		return alive_call(e, f, slot, gone);
	case HB__F_SEQ:
	case HB__F_STRICT:
	case HB__F_PAR:
		return hb__alive(e, f->a, slot, gone) && hb__alive(e, f->b, slot, gone);
	case HB__F_CHOICE:
		return hb__alive(e, f->a, slot, gone) || hb__alive(e, f->b, slot, gone);
	case HB__F_REPEAT:
		return hb__eval_number(e->p, f->from, slot, "how often, a number") <= 0 ||
		       hb__alive(e, f->a, slot, gone);
	case HB__F_WHEN:
		return hb__eval_number(e->p, f->from, slot, "a condition") && hb__alive(e, f->a, slot, gone);
	case HB__F_ANY:
	case HB__F_ALL:
	case HB__F_EACH_IN_TURN:
		return alive_for(e, f, slot, gone);
	default:
		return true; /* nothing; what can be left out */
	}
}
