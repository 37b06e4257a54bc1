/* Random models. */
#include "random_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ORDERS 3000
#define VARIABLES 8

enum kind { INTERACTION, CALL, SEQ, STRICT, PAR, CHOICE, OPTIONAL, LOOP, REPEAT, ANY, ALL, TURN, WHEN, NOTHING, KINDS };

struct value { /* number; variable; (variable + 1) % processes; variable - 1 */
	enum { NUMBER, VARIABLE, NEXT, LESS } kind;
	int n;
};

struct form {
	enum kind kind;
	int name, variable, def; /* variable: that it binds */
	bool below;              /* of a set: {0 .. x-1}, else {x .. x+1} within the processes */
	struct value from, to, key;
	struct form *a, *b;
};

uint32_t random_below(uint64_t *seed, uint32_t n)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (uint32_t)((*seed >> 11) % n);
}

/* ---- making ---- */

struct maker {
	uint64_t *seed;
	int processes, variables, inside; /* inside: number of the definition, or -1 */
};

static struct value random_value(struct maker *m, int numbers)
{
	if (!m->variables || random_below(m->seed, 4) == 0)
		return (struct value){NUMBER, (int)random_below(m->seed, (uint32_t)numbers)};
	return (struct value){VARIABLE, (int)random_below(m->seed, (uint32_t)m->variables)};
}

/* v1 and v2 of a definition may be no processes. */
static struct value random_process(struct maker *m)
{
	struct value v = random_value(m, m->processes);
	bool may_be_none = m->inside >= 0 && (v.n == 1 || v.n == 2);
	if (v.kind == VARIABLE && (may_be_none || random_below(m->seed, 2)))
		v.kind = NEXT;
	return v;
}

static struct form *random_form(struct maker *m, int depth);

/* Definitions have the parameters v0: a process, v1: a key, v2: how deep it may still go. */
static struct form *call(struct maker *m, struct form *f)
{
	f->def = (int)random_below(m->seed, 2);
	f->from = random_process(m);
	f->key = random_value(m, 2);
	f->to = (struct value){NUMBER, (int)random_below(m->seed, 3)};
	if (m->inside >= 0) { /* only where it can go deeper, so that it ends */
		f->to = (struct value){LESS, 2};
		struct form *when = calloc(1, sizeof *when);
		*when = (struct form){.kind = WHEN, .from = {VARIABLE, 2}, .a = f};
		return when;
	}
	return f;
}

static struct form *interaction(struct maker *m, struct form *f)
{
	f->kind = INTERACTION;
	f->name = (int)random_below(m->seed, NAMES);
	f->from = random_process(m);
	f->key = random_value(m, 2);
	f->to = random_process(m);
	return f;
}

static struct form *random_form(struct maker *m, int depth)
{
	static const uint8_t likely[] = {INTERACTION, INTERACTION, INTERACTION, SEQ, SEQ, SEQ, SEQ, STRICT, STRICT, PAR,
		PAR, CHOICE, CHOICE, OPTIONAL, LOOP, REPEAT, ANY, ALL, TURN, WHEN, CALL, CALL, NOTHING};
	struct form *f = calloc(1, sizeof *f);
	f->kind = depth > 0 ? likely[random_below(m->seed, sizeof likely)] : INTERACTION;
	switch (f->kind) {
	case INTERACTION:
		return interaction(m, f);
	case CALL:
		return call(m, f);
	case NOTHING:
		return f;
	case SEQ:
	case STRICT:
	case PAR:
	case CHOICE:
		f->a = random_form(m, depth - 1);
		f->b = random_form(m, depth - 1);
		return f;
	case LOOP:
		f->a = random_form(m, depth > 1 ? 1 : 0);
		return f;
	case ANY:
	case ALL:
	case TURN:
		f->below = random_below(m->seed, 2);
		f->from = random_process(m);
		f->variable = m->variables++;
		f->a = random_form(m, depth - 1);
		m->variables--;
		return f;
	default:
		f->from = random_value(m, 3);
		f->a = random_form(m, depth - 1);
		return f;
	}
}

static void form_free(struct form *f)
{
	if (!f)
		return;
	form_free(f->a);
	form_free(f->b);
	free(f);
}

void model_free(struct model *m)
{
	form_free(m->run);
	form_free(m->def[0]);
	form_free(m->def[1]);
}

/* ---- as a text ---- */

static void say(struct model *m, const char *format, ...)
{
	size_t n = strlen(m->text);
	va_list ap;
	va_start(ap, format);
	vsnprintf(m->text + n, sizeof m->text - n, format, ap);
	va_end(ap);
}

static void say_value(struct model *m, struct value v)
{
	say(m,
		v.kind == NUMBER     ? "%d"
		: v.kind == VARIABLE ? "v%d"
		: v.kind == NEXT     ? "(v%d + 1) %% size"
				     : "v%d - 1",
		v.n);
}

static void say_set(struct model *m, const struct form *f)
{
	say(m, "%s v%d in {", f->kind == ANY ? "any" : f->kind == ALL ? "all" : "seq", f->variable);
	if (f->below) {
		say(m, "0 .. (");
		say_value(m, f->from);
		say(m, ") - 1}: ");
	} else {
		say_value(m, f->from);
		say(m, " .. (");
		say_value(m, f->from);
		say(m, ") + 1} & {0 .. size - 1}: ");
	}
}

static void say_form(struct model *m, const struct form *f);

static void say_interaction(struct model *m, const struct form *f)
{
	static const char *const name[] = {"m0", "m1", "a0", "e0"};
	say_value(m, f->from);
	if (f->name <= M1) {
		say(m, " -> ");
		say_value(m, f->to);
	}
	say(m, ": %s(", name[f->name]);
	say_value(m, f->key);
	say(m, ")");
}

static void say_call(struct model *m, const struct form *f)
{
	say(m, "d%d(", f->def);
	say_value(m, f->from);
	say(m, ", ");
	say_value(m, f->key);
	say(m, ", ");
	say_value(m, f->to);
	say(m, ")");
}

static void say_form(struct model *m, const struct form *f)
{
	static const char *const between[] = {[SEQ] = " ; ", [STRICT] = " >> ", [PAR] = " || ", [CHOICE] = " | "};
	static const char *const open[] = {[OPTIONAL] = "[", [LOOP] = "loop {", [REPEAT] = "repeat "},
				 *const close[] = {[OPTIONAL] = "]", [LOOP] = "}", [REPEAT] = "}"};
	switch (f->kind) {
	case INTERACTION:
		say_interaction(m, f);
		return;
	case CALL:
		say_call(m, f);
		return;
	case NOTHING:
		say(m, "nothing");
		return;
	case SEQ:
	case STRICT:
	case PAR:
	case CHOICE:
		say(m, "(");
		say_form(m, f->a);
		say(m, "%s", between[f->kind]);
		say_form(m, f->b);
		say(m, ")");
		return;
	case OPTIONAL:
	case LOOP:
	case REPEAT:
		say(m, "%s", open[f->kind]);
		if (f->kind == REPEAT) {
			say_value(m, f->from);
			say(m, " {");
		}
		say_form(m, f->a);
		say(m, "%s", close[f->kind]);
		return;
	default:
		say(m, "(");
		if (f->kind == WHEN) {
			say(m, "when ");
			say_value(m, f->from);
			say(m, " > 0: ");
		} else {
			say_set(m, f);
		}
		say_form(m, f->a);
		say(m, ")");
	}
}

void model_random(struct model *m, uint64_t *seed)
{
	memset(m, 0, sizeof *m);
	m->processes = 2 + (int)random_below(seed, 3);
	struct maker maker = {seed, m->processes, 0, -1};
	m->run = random_form(&maker, 4);
	say(m, "model random\n\nmessage m0(k) = mpi, k = k\nmessage m1(k) = mpi, k = k\naction a0(k) = span a, k = k\n"
	       "action e0(k) = event e, k = k\n\n");
	for (int i = 0; i < 2; i++) {
		maker.inside = i;
		maker.variables = 3;
		/* with a way that does not lead deeper, or without any when it is at its end */
		struct form *way = random_form(&maker, 2), *f = calloc(1, sizeof *f);
		*f = (struct form){.kind = random_below(seed, 4) ? CHOICE : SEQ, .a = random_form(&maker, 0), .b = way};
		m->def[i] = f;
		say(m, "d%d(v0, v1, v2) = ", i);
		say_form(m, f);
		say(m, "\n");
	}
	say(m, "\nrun = ");
	say_form(m, m->run);
	say(m, "\n");
}

/* ---- as orders ---- */

void order_close(struct order *o)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < o->n; i++) {
			uint64_t all = o->before[i];
			for (int k = 0; k < o->n; k++)
				if (all >> k & 1)
					all |= o->before[k];
			changed |= all != o->before[i];
			o->before[i] = all;
		}
	}
}

struct world {
	const struct model *m;
	int rounds;
};

static bool put(struct orders *s, const struct order *o)
{
	if (o->n > MOST_EVENTS || s->n >= MOST_ORDERS)
		s->too_many = true;
	if (s->too_many)
		return false;
	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 16;
		s->at = realloc(s->at, (size_t)s->room * sizeof *s->at);
	}
	s->at[s->n++] = *o;
	return true;
}

/* One behind the other: in weak or in strict sequence, or side by side. */
static void put_both(struct orders *s, const struct order *a, const struct order *b, enum kind kind)
{
	struct order o = *a;
	if (a->n + b->n > MOST_EVENTS) {
		s->too_many = true;
		return;
	}
	for (int i = 0; i < b->n; i++) {
		o.at[a->n + i] = b->at[i];
		o.before[a->n + i] = b->before[i] << a->n;
		for (int k = 0; k < a->n; k++)
			if (kind == STRICT || (kind == SEQ && a->at[k].process == b->at[i].process))
				o.before[a->n + i] |= (uint64_t)1 << k;
	}
	o.n = a->n + b->n;
	order_close(&o);
	put(s, &o);
}

/* Every one of a with every one of b. Frees both, and takes their place in *a. */
static void product(struct orders *a, struct orders *b, enum kind kind)
{
	struct orders s = {.too_many = a->too_many || b->too_many};
	for (int i = 0; i < a->n; i++)
		for (int k = 0; k < b->n && !s.too_many; k++)
			put_both(&s, &a->at[i], &b->at[k], kind);
	free(a->at);
	free(b->at);
	*a = s;
}

static void unite(struct orders *a, struct orders *b)
{
	for (int i = 0; i < b->n; i++)
		put(a, &b->at[i]);
	a->too_many |= b->too_many;
	free(b->at);
}

static struct orders one(const struct order *o)
{
	struct orders s = {0};
	put(&s, o);
	return s;
}

static int value_of(const struct world *w, struct value v, const int *variable)
{
	switch (v.kind) {
	case NUMBER:
		return v.n;
	case VARIABLE:
		return variable[v.n];
	case NEXT:
		return (variable[v.n] + 1) % w->m->processes;
	default:
		return variable[v.n] - 1;
	}
}

static struct orders orders_of(const struct world *w, const struct form *f, const int *variable);

static struct orders interaction_orders(const struct world *w, const struct form *f, const int *variable)
{
	int from = value_of(w, f->from, variable), to = f->name <= M1 ? value_of(w, f->to, variable) : -1;
	int8_t key = (int8_t)value_of(w, f->key, variable);
	struct order o = {.n = f->name == E0 ? 1 : 2, .before = {0, 1}};
	o.at[0] = (struct label){(int8_t)f->name, 0, (int8_t)from, (int8_t)to, key};
	o.at[1] = (struct label){(int8_t)f->name, 1, (int8_t)(to < 0 ? from : to), (int8_t)(to < 0 ? -1 : from), key};
	return one(&o);
}

static struct orders repeated(const struct world *w, const struct form *f, const int *variable, int least, int most)
{
	static const struct order empty;
	struct orders all = {0}, now = one(&empty);
	for (int i = 0; i <= most; i++) {
		if (i >= least) {
			struct orders copy = {.too_many = now.too_many};
			for (int k = 0; k < now.n; k++)
				put(&copy, &now.at[k]);
			unite(&all, &copy);
		}
		if (i < most) {
			struct orders again = orders_of(w, f->a, variable);
			product(&now, &again, SEQ);
		}
	}
	free(now.at);
	return all;
}

static struct orders over_set(const struct world *w, const struct form *f, const int *variable)
{
	static const struct order empty;
	int inner[VARIABLES], x = value_of(w, f->from, variable), first = f->below ? 0 : x,
			      last = f->below ? x - 1 : x + 1;
	struct orders s = f->kind == ANY ? (struct orders){0} : one(&empty);
	memcpy(inner, variable, sizeof inner);
	for (int v = first; v <= last; v++) {
		if (!f->below && (v < 0 || v >= w->m->processes))
			continue;
		inner[f->variable] = v;
		struct orders next = orders_of(w, f->a, inner);
		if (f->kind == ANY)
			unite(&s, &next);
		else
			product(&s, &next, f->kind == ALL ? PAR : SEQ);
	}
	return s;
}

static struct orders orders_of(const struct world *w, const struct form *f, const int *variable)
{
	static const struct order empty;
	struct orders a = {0}, b = {0};
	int inner[VARIABLES] = {0}, x;
	switch (f->kind) {
	case INTERACTION:
		return interaction_orders(w, f, variable);
	case NOTHING:
		return one(&empty);
	case CALL:
		inner[0] = value_of(w, f->from, variable);
		inner[1] = value_of(w, f->key, variable);
		inner[2] = value_of(w, f->to, variable);
		return orders_of(w, w->m->def[f->def], inner);
	case SEQ:
	case STRICT:
	case PAR:
		a = orders_of(w, f->a, variable);
		b = orders_of(w, f->b, variable);
		product(&a, &b, f->kind);
		return a;
	case CHOICE:
	case OPTIONAL:
		a = orders_of(w, f->a, variable);
		b = f->kind == CHOICE ? orders_of(w, f->b, variable) : one(&empty);
		unite(&a, &b);
		return a;
	case LOOP:
		return repeated(w, f, variable, 0, w->rounds);
	case REPEAT:
		x = value_of(w, f->from, variable);
		return repeated(w, f, variable, x > 0 ? x : 0, x > 0 ? x : 0);
	case WHEN:
		return value_of(w, f->from, variable) > 0 ? orders_of(w, f->a, variable) : a;
	default:
		return over_set(w, f, variable);
	}
}

void model_orders(const struct model *m, int rounds, struct orders *ret)
{
	struct world w = {m, rounds};
	int variable[VARIABLES] = {0};
	*ret = orders_of(&w, m->run, variable);
}
