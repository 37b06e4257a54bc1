/* Declarations. A first pass finds what is declared, a second reads what it is, so that the order does not matter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/pattern/language/lex.h"

static const char *const reserved[] = {"model", "param", "let", "role", "message", "action", "nothing", "loop",
	"repeat", "any", "all", "seq", "when", "each", "in", "size", "len", "min", "max", "count", "process"};

static const char *const declarations[] = {"model", "param", "let", "role", "message", "action"};
enum { MODEL, PARAM, LET, ROLE, MESSAGE, ACTION, PATTERN };

static int kind_of(const struct hb__token *t)
{
	for (int i = 0; i < PATTERN; i++)
		if (t->kind == HB__T_NAME && !strcmp(t->name, declarations[i]))
			return i;
	return PATTERN;
}

/* The line where a name of this kind of thing is declared already, or 0. Values are one kind, what stands in patterns another. */
static uint32_t declared(const hb_pattern *p, int kind, const char *name)
{
	if (kind == LET || kind == ROLE || kind == PARAM) {
		for (size_t i = 0; i < p->nlets; i++)
			if (!strcmp(p->lets[i].name, name))
				return p->lets[i].line;
		return 0;
	}
	for (size_t i = 0; i < p->nbindings; i++)
		if (!strcmp(p->bindings[i].name, name))
			return p->bindings[i].line;
	for (size_t i = 0; i < p->ndefs; i++)
		if (!strcmp(p->defs[i].name, name))
			return p->defs[i].line;
	return 0;
}

static bool new_name(struct hb__reader *r, int kind, const struct hb__token *at)
{
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (!strcmp(at->name, reserved[i]))
			return hb__wrong(r->p, at->line, at->column, "%s is a word of the language: take another name",
				at->name);
	uint32_t line = declared(r->p, kind, at->name);
	if (line)
		return hb__wrong(r->p, at->line, at->column, "%s is declared in line %u already", at->name, line);
	return true;
}

/* (x, ...), if it is there. */
static bool parameters(struct hb__reader *r, const char **to, uint32_t *ret_n)
{
	*ret_n = 0;
	if (!hb__sign(r, '('))
		return true;
	while (!hb__sign(r, ')')) {
		if (*ret_n && !hb__want(r, ',', "between parameters"))
			return false;
		const struct hb__token *at = &r->token[r->at];
		const char *name = hb__want_name(r, "a parameter");
		if (!name)
			return false;
		for (uint32_t i = 0; i < *ret_n; i++)
			if (!strcmp(to[i], name))
				return hb__wrong(
					r->p, at->line, at->column, "the parameter %s stands here twice", name);
		if (*ret_n == HB__SLOTS)
			return hb__wrong(r->p, at->line, at->column, "more than %d parameters", HB__SLOTS);
		to[(*ret_n)++] = name;
	}
	return true;
}

/* ---- the first pass ---- */

static struct hb__let *new_let(struct hb__reader *r, int kind)
{
	const struct hb__token *at = hb__peek(r);
	const char *name = hb__want_name(r, "a name");
	if (!name || !new_name(r, kind, at))
		return NULL;
	if (!HB_GROW(r->p->lets, r->p->lets_room, r->p->nlets + 1))
		return hb__pattern_no_memory(r->p);
	struct hb__let *let = &r->p->lets[r->p->nlets++];
	*let = (struct hb__let){.name = name, .line = at->line, .role = kind == ROLE, .parameter = kind == PARAM};
	return let;
}

static bool find_params(struct hb__reader *r)
{
	do {
		struct hb__let *let = new_let(r, PARAM);
		if (!let || !hb__want(r, '=', "and a number"))
			return false;
		bool negative = hb__sign(r, '-');
		const struct hb__token *at = hb__peek(r);
		if (at->kind != HB__T_NUMBER)
			return hb__expected(r, "a number");
		let->value = negative ? -at->number : at->number;
		let->known = 2;
		r->at++;
	} while (hb__sign(r, ','));
	return r->at == r->end || hb__expected(r, "the next declaration");
}

static bool find_binding(struct hb__reader *r, int kind)
{
	hb_pattern *p = r->p;
	const struct hb__token *at = hb__peek(r);
	const char *name = hb__want_name(r, "a name");
	if (!name || !new_name(r, kind, at))
		return false;
	const char **key = hb__take(p, HB__SLOTS * sizeof *key);
	uint32_t n;
	if (!key || !parameters(r, key, &n))
		return false;
	if (!HB_GROW(p->bindings, p->bindings_room, p->nbindings + 1) ||
		!HB_GROW(p->clauses, p->clauses_room, p->nbindings + 1))
		return hb__pattern_no_memory(p);
	p->bindings[p->nbindings] = (hb_pattern_binding){
		.name = name, .message = kind == MESSAGE, .halves = 2, .nkeys = n, .key_name = key, .line = at->line};
	p->clauses[p->nbindings++] = (struct hb__clauses){.key_name = key};
	return true;
}

static bool find_def(struct hb__reader *r)
{
	const struct hb__token *at = hb__peek(r);
	const char *name = hb__want_name(r, "a declaration: model, param, let, role, message, action or NAME =");
	if (!name || !new_name(r, PATTERN, at))
		return false;
	if (!HB_GROW(r->p->defs, r->p->defs_room, r->p->ndefs + 1))
		return hb__pattern_no_memory(r->p);
	struct hb__def *d = &r->p->defs[r->p->ndefs++];
	*d = (struct hb__def){.name = name, .line = at->line};
	return parameters(r, d->param, &d->nparams) &&
	       hb__want(r, '=', "and a pattern (what goes on in a new line must be indented)");
}

static bool find(struct hb__reader *r, int kind)
{
	struct hb__let *let;
	switch (kind) {
	case MODEL:
		if (r->p->name)
			return hb__wrong(r->p, hb__peek(r)->line, 1, "a file has one model");
		r->p->name = hb__want_name(r, "the model's name");
		return r->p->name && (r->at == r->end || hb__expected(r, "the next declaration"));
	case PARAM:
		return find_params(r);
	case LET:
	case ROLE:
		let = new_let(r, kind);
		return let && (kind == ROLE || parameters(r, let->param, &let->nparams));
	case MESSAGE:
	case ACTION:
		return find_binding(r, kind);
	default:
		return find_def(r);
	}
}

/* ---- the second ---- */

static bool read_let(struct hb__reader *r, struct hb__let *let)
{
	const char *again[HB__SLOTS];
	uint32_t n;
	r->at++;
	if (!parameters(r, again, &n) || !hb__want(r, '=', "and a value"))
		return false;
	memcpy(r->name, let->param, sizeof r->name);
	r->names = let->nparams;
	if (!(let->body = hb__read_value(r)))
		return false;
	if (!let->role || !hb__has_word(r, "from"))
		return true;
	const struct hb__token *at = hb__peek(r);
	if (at->kind != HB__T_NUMBER)
		return hb__expected(r, "the number that its first process has");
	r->at++;
	let->numbered = true;
	let->from = at->number;
	return true;
}

static bool read_def(struct hb__reader *r, struct hb__def *d)
{
	const char *again[HB__SLOTS];
	uint32_t n;
	r->at++;
	if (!parameters(r, again, &n) || !hb__want(r, '=', "and a pattern"))
		return false;
	memcpy(r->name, d->param, sizeof r->name);
	r->names = r->most = d->nparams;
	if (!strcmp(d->name, "run")) {
		if (d->nparams)
			return hb__wrong(r->p, d->line, 1, "run has no parameters");
		return hb__read_run(r);
	}
	d->body = hb__read_form(r);
	d->nslots = r->most;
	return d->body != NULL;
}

struct counts {
	size_t let, binding, def;
};

static bool read_one(struct hb__reader *r, int kind, struct counts *c)
{
	r->names = r->nested = 0;
	r->clause = false;
	switch (kind) {
	case MODEL:
		return true;
	case PARAM:
		while (c->let < r->p->nlets && r->p->lets[c->let].parameter)
			c->let++;
		return true;
	case LET:
	case ROLE:
		if (!read_let(r, &r->p->lets[c->let++]))
			return false;
		break;
	case MESSAGE:
	case ACTION:
		if (!hb__read_clauses(r, (uint32_t)c->binding++))
			return false;
		break;
	default:
		if (!read_def(r, &r->p->defs[c->def++]))
			return false;
	}
	return r->at == r->end || hb__expected(r, "the end of the declaration");
}

/* Goes through the declarations: from a token in the first column to the next such. */
static bool pass(struct hb__reader *r, bool second)
{
	struct counts c = {0};
	for (size_t start = 0; r->token[start].kind != HB__T_END; start = r->end) {
		r->at = start;
		for (r->end = start + 1; r->token[r->end].kind != HB__T_END && r->token[r->end].column > 1;)
			r->end++;
		const struct hb__token *t = &r->token[start];
		if (t->column > 1)
			return hb__wrong(
				r->p, t->line, t->column, "a declaration begins in the first column of a line");
		int kind = kind_of(t);
		r->at += kind != PATTERN;
		if (!second && !r->p->name && kind != MODEL)
			return hb__wrong(r->p, t->line, t->column, "a model begins with its name: model NAME");
		if (!(second ? read_one(r, kind, &c) : find(r, kind)))
			return false;
	}
	return second || r->p->name || hb__wrong(r->p, 1, 1, "nothing in it: a model begins with its name: model NAME");
}

static bool set_params(hb_pattern *p, const hb_pattern_world *world)
{
	for (uint32_t i = 0; i < world->nset; i++) {
		struct hb__let *let = NULL;
		for (size_t k = 0; k < p->nlets; k++)
			if (p->lets[k].parameter && !strcmp(p->lets[k].name, world->set_name[i]))
				let = &p->lets[k];
		if (!let)
			return hb__wrong(p, 0, 0, "no param %s to set: declare it by param %s = NUMBER",
				world->set_name[i], world->set_name[i]);
		if (!hb__is_number(world->set_value[i]))
			return hb__wrong(p, 0, 0, "the value of %s is too low", let->name);
		let->value = world->set_value[i];
	}
	return true;
}

bool hb__read_model(hb_pattern *p, const char *text, const hb_pattern_world *world)
{
	struct hb__reader r = {.p = p};
	bool good = hb__lex(&r, text) && pass(&r, false) && set_params(p, world) && pass(&r, true);
	if (good && !p->nparts)
		good = hb__wrong(
			p, r.token[r.n - 1].line, 1, "the model says nothing of the run: run = PATTERN is missing");
	free(r.token);
	/* each let has a value, even one that nothing uses yet */
	for (size_t i = 0; good && i < p->nlets; i++)
		if (!p->lets[i].nparams && !p->lets[i].known) {
			const struct hb__expr e = {
				.kind = HB__E_GLOBAL, .line = p->lets[i].line, .column = 1, .value = (int64_t)i};
			hb__eval(p, &e, NULL);
			good = !p->failed;
		}
	p->steps = 0;
	return good;
}
