/* Patterns: text to forms, with names resolved. */
#include <string.h>

#include "base/grow.h"
#include "rules/pattern/language/lex.h"

#define IN_A_ROW 1000 /* parts side by side: forms are as deep */

static struct hb__form *form(
	struct hb__reader *r, const struct hb__token *at, int kind, struct hb__form *a, struct hb__form *b)
{
	hb_pattern *p = r->p;
	struct hb__form *f = hb__take(p, sizeof *f);
	if (!f || !HB_GROW(p->forms, p->forms_room, p->nforms + 1))
		return hb__pattern_no_memory(p);
	*f = (struct hb__form){.kind = (uint8_t)kind,
		.bare = true,
		.line = at->line,
		.column = at->column,
		.a = a,
		.b = b,
		.index = (uint32_t)p->nforms};
	return p->forms[p->nforms++] = f;
}

/* Whether what comes is `A -> B:` or `A:`, and no pattern. */
static bool interaction_ahead(const struct hb__reader *r)
{
	int open = 0;
	for (size_t i = r->at; i < r->end; i++) {
		const struct hb__token *t = &r->token[i];
		if (t->kind != HB__T_SIGN)
			continue;
		if (t->sign == '(' || t->sign == '[' || t->sign == '{')
			open++;
		else if (t->sign == ')' || t->sign == ']' || t->sign == '}')
			open--;
		if (open < 0)
			return false;
		if (open)
			continue;
		if (t->sign == HB__S_ARROW || t->sign == ':')
			return true;
		if (t->sign == ';' || t->sign == '|' || t->sign == ',' || t->sign == '=' || t->sign == HB__S_BARS ||
			t->sign == HB__S_STRICT)
			return false;
	}
	return false;
}

static struct hb__form *interaction(struct hb__reader *r)
{
	const struct hb__token *at = hb__peek(r);
	struct hb__form *f = form(r, at, HB__F_INTERACTION, NULL, NULL);
	if (!f || !(f->from = hb__read_sum(r)) || (hb__sign(r, HB__S_ARROW) && !(f->to = hb__read_sum(r))))
		return NULL;
	if (!hb__want(r, ':', f->to ? "and the name of a message" : "and the name of an action"))
		return NULL;
	const struct hb__token *what = hb__peek(r);
	const char *name = hb__want_name(r, f->to ? "the name of a message" : "the name of an action");
	if (!name)
		return NULL;
	f->line = what->line;
	f->column = what->column;
	while (f->number < r->p->nbindings && strcmp(r->p->bindings[f->number].name, name))
		f->number++;
	if (f->number == r->p->nbindings)
		return hb__wrong(r->p, what->line, what->column, "no %s %s: declare it by %s %s(...) = ...",
			f->to ? "message" : "action", name, f->to ? "message" : "action", name);
	const hb_pattern_binding *b = &r->p->bindings[f->number];
	if (b->message != (f->to != NULL))
		return hb__wrong(r->p, what->line, what->column, "%s is %s (line %u): write %s: %s(...)", name,
			b->message ? "a message" : "an action", b->line, b->message ? "A -> B" : "A", name);
	if (!hb__read_arguments(r, &f->arg, &f->n))
		return NULL;
	if (f->n != b->nkeys)
		return hb__wrong(r->p, what->line, what->column, "%s has %u key%s (line %u), not %u", name, b->nkeys,
			b->nkeys == 1 ? "" : "s", b->line, f->n);
	return f;
}

static struct hb__form *call(struct hb__reader *r)
{
	const struct hb__token *at = hb__peek(r);
	const char *name = hb__want_name(r, "a pattern");
	struct hb__form *f = name ? form(r, at, HB__F_CALL, NULL, NULL) : NULL;
	if (!f)
		return NULL;
	while (f->number < r->p->ndefs && strcmp(r->p->defs[f->number].name, name))
		f->number++;
	if (f->number == r->p->ndefs)
		return hb__wrong(r->p, at->line, at->column,
			"no pattern %s: define it by %s(...) = ...; who does it stands before it: A: %s", name, name,
			name);
	if (!hb__read_arguments(r, &f->arg, &f->n))
		return NULL;
	const struct hb__def *d = &r->p->defs[f->number];
	if (f->n != d->nparams)
		return hb__wrong(r->p, at->line, at->column, "%s has %u parameter%s (line %u), not %u", name,
			d->nparams, d->nparams == 1 ? "" : "s", d->line, f->n);
	return f;
}

/* Binds a name from here on; takes `r->names--` when its place ends. */
static bool bind(struct hb__reader *r, const char *name)
{
	const struct hb__token *at = &r->token[r->at];
	if (r->names == HB__SLOTS)
		return hb__wrong(r->p, at->line, at->column, "more than %d variables at one place", HB__SLOTS);
	r->name[r->names++] = name;
	if (r->names > r->most)
		r->most = r->names;
	return true;
}

static struct hb__form *choose(struct hb__reader *r, int kind)
{
	const struct hb__token *at = &r->token[r->at - 1];
	struct hb__form *f = form(r, at, kind, NULL, NULL);
	const char *name = f ? hb__want_name(r, "the name of a variable") : NULL;
	if (!name)
		return NULL;
	if (!hb__has_word(r, "in"))
		return hb__expected(r, "in and a set");
	if (!(f->from = hb__read_value(r)) || !hb__want(r, ':', "behind the set") || !bind(r, name))
		return NULL;
	f->slot = r->names - 1;
	f->a = hb__read_form(r);
	r->names--;
	return f->a ? f : NULL;
}

static struct hb__form *when(struct hb__reader *r)
{
	struct hb__form *f = form(r, &r->token[r->at - 1], HB__F_WHEN, NULL, NULL);
	if (!f || !(f->from = hb__read_value(r)) || !hb__want(r, ':', "behind the condition") ||
		!(f->a = hb__read_form(r)))
		return NULL;
	if (f->a->kind == HB__F_CHOICE && f->a->bare) /* who writes this seldom means it */
		return hb__wrong(r->p, f->a->line, f->a->column,
			"an alternative behind `when` belongs to it (line %u): write (when ...: X) | Y, or when ...: (X | Y)",
			f->line);
	return f;
}

static struct hb__form *enclosed(struct hb__reader *r, int kind, int open, int close, const char *where)
{
	struct hb__form *f = form(r, &r->token[r->at - 1], kind, NULL, NULL);
	if (!f || (kind == HB__F_REPEAT && !(f->from = hb__read_value(r))))
		return NULL;
	if (open && !hb__want(r, open, where))
		return NULL;
	return (f->a = hb__read_form(r)) && hb__want(r, close, where) ? f : NULL;
}

static struct hb__form *part(struct hb__reader *r)
{
	const struct hb__token *at = hb__peek(r);
	if (hb__has_word(r, "nothing"))
		return form(r, at, HB__F_NOTHING, NULL, NULL);
	if (hb__has_word(r, "loop"))
		return enclosed(r, HB__F_LOOP, '{', '}', "around what a loop repeats");
	if (hb__has_word(r, "repeat"))
		return enclosed(r, HB__F_REPEAT, '{', '}', "around what is repeated");
	if (hb__has_word(r, "any"))
		return choose(r, HB__F_ANY);
	if (hb__has_word(r, "all"))
		return choose(r, HB__F_ALL);
	if (hb__has_word(r, "seq"))
		return choose(r, HB__F_EACH_IN_TURN);
	if (hb__has_word(r, "when"))
		return when(r);
	if (hb__is_word(r, "each"))
		return hb__wrong(r->p, at->line, at->column,
			"each stands at the outermost place of run only; several: (each k: X) || (each l: Y)");
	if (hb__sign(r, '['))
		return enclosed(r, HB__F_OPTIONAL, 0, ']', "behind what is optional");
	if (interaction_ahead(r))
		return interaction(r);
	if (!hb__sign(r, '('))
		return call(r);
	struct hb__form *f = hb__read_form(r);
	if (f)
		f->bare = false;
	return f && hb__want(r, ')', "behind the pattern") ? f : NULL;
}

/* ONE (SIGN ONE)*, leaning to the right, so that what comes later can wait. */
static struct hb__form *row(struct hb__reader *r, int sign, int kind, struct hb__form *(*one)(struct hb__reader *))
{
	struct hb__form *first = one(r), **last = &first;
	for (uint32_t n = 0; first && hb__is_sign(r, sign); n++) {
		const struct hb__token *at = hb__peek(r);
		r->at++;
		struct hb__form *next = one(r);
		if (n == IN_A_ROW)
			return hb__wrong(r->p, at->line, at->column,
				"more than %d parts in a row: give some of them a name", IN_A_ROW);
		if (!next || !(*last = form(r, at, kind, *last, next)))
			return NULL;
		last = &(*last)->b;
	}
	return first;
}

static struct hb__form *weak(struct hb__reader *r) { return row(r, ';', HB__F_SEQ, part); }

static struct hb__form *sequence(struct hb__reader *r)
{
	struct hb__form *f = weak(r);
	for (uint32_t n = 0; f && hb__is_sign(r, HB__S_STRICT); n++) {
		const struct hb__token *at = hb__peek(r);
		r->at++;
		/* (a >> b ; c) is (a >> b) ; c: to the left, as all of one precedence */
		struct hb__form *b = part(r);
		f = b ? form(r, at, HB__F_STRICT, f, b) : NULL;
		if (n == IN_A_ROW)
			return hb__wrong(r->p, at->line, at->column,
				"more than %d parts in a row: give some of them a name", IN_A_ROW);
		at = hb__peek(r);
		if (f && hb__sign(r, ';'))
			f = (b = weak(r)) ? form(r, at, HB__F_SEQ, f, b) : NULL;
	}
	return f;
}

static struct hb__form *parallel(struct hb__reader *r) { return row(r, HB__S_BARS, HB__F_PAR, sequence); }

struct hb__form *hb__read_form(struct hb__reader *r)
{
	if (!hb__deeper(r))
		return NULL;
	struct hb__form *f = row(r, '|', HB__F_CHOICE, parallel);
	r->nested--;
	return f;
}

/* ---- run ---- */

static bool read_each(struct hb__reader *r, struct hb__part *part)
{
	do {
		const struct hb__token *at = hb__peek(r);
		const char *name = hb__want_name(r, "the name of a key");
		if (!name || !bind(r, name))
			return false;
		for (uint32_t i = 0; i < part->nkeys; i++)
			if (!strcmp(part->key_name[i], name))
				return hb__wrong(r->p, at->line, at->column, "the key %s stands here twice", name);
		part->key_name[part->nkeys] = name;
		r->names--; /* a set does not see the keys */
		if (hb__has_word(r, "in") && !(part->in[part->nkeys] = hb__read_value(r)))
			return false;
		r->names++;
		part->nkeys++;
	} while (hb__sign(r, ','));
	if (!hb__want(r, ':', "behind the keys of each"))
		return false;
	part->body = hb__read_form(r);
	return part->body != NULL;
}

static bool add_part(struct hb__reader *r, const struct hb__part *part)
{
	hb_pattern *p = r->p;
	if (p->nparts == p->parts_room) {
		struct hb__part *more = hb__take(p, (p->parts_room * 2 + 4) * sizeof *more);
		if (!more)
			return false;
		if (p->nparts)
			memcpy(more, p->parts, p->nparts * sizeof *more);
		p->parts = more;
		p->parts_room = p->parts_room * 2 + 4;
	}
	p->parts[p->nparts++] = *part;
	return true;
}

static bool each_ahead(const struct hb__reader *r)
{
	for (size_t i = r->at; i < r->end; i++)
		if (r->token[i].kind == HB__T_NAME && !strcmp(r->token[i].name, "each"))
			return true;
	return false;
}

static bool read_part(struct hb__reader *r, struct hb__form **rest)
{
	const struct hb__token *at = hb__peek(r), *next = hb__peek_next(r);
	bool closed = hb__is_sign(r, '(') && next->kind == HB__T_NAME && !strcmp(next->name, "each");
	r->at += closed;
	if (hb__has_word(r, "each")) {
		struct hb__part part = {.line = at->line};
		r->most = 0;
		bool good = read_each(r, &part) && (!closed || hb__want(r, ')', "behind the pattern"));
		part.nslots = r->most;
		r->names = 0;
		return good && add_part(r, &part);
	}
	struct hb__form *f = sequence(r);
	if (!f)
		return false;
	*rest = *rest ? form(r, at, HB__F_PAR, *rest, f) : f;
	return *rest != NULL;
}

bool hb__read_run(struct hb__reader *r)
{
	uint32_t line = r->token[r->at - 1].line;
	struct hb__form *rest = NULL;
	uint32_t most = 0;
	if (!each_ahead(r)) {
		if (!(rest = hb__read_form(r)))
			return false;
		most = r->most;
	} else {
		do {
			r->most = 0;
			if (!read_part(r, &rest))
				return false;
			if (r->most > most)
				most = r->most;
		} while (hb__sign(r, HB__S_BARS));
	}
	return !rest || add_part(r, &(struct hb__part){.line = line, .body = rest, .nslots = most});
}
