/* Where events come from: the source of a message or an action, and its clauses. */
#include <string.h>

#include "rules/pattern/language/lex.h"

static const struct {
	const char *word, *wants;
	uint8_t source, names, message, halves;
} sources[] = {
	{"mpi", NULL, HB_PATTERN_MPI, 0, 1, 2},
	{"channel", "the name of a channel", HB_PATTERN_CHANNEL, 1, 1, 2},
	{"events", "the names of two events: sent, received", HB_PATTERN_EVENTS, 2, 1, 2},
	{"span", "the name of a span", HB_PATTERN_SPAN, 1, 0, 2},
	{"event", "the name of an event", HB_PATTERN_EVENT, 1, 0, 1},
	{"call", "the name of a call", HB_PATTERN_CALL, 1, 0, 2},
};
#define SOURCES (sizeof sources / sizeof *sources)

static bool read_source(struct hb__reader *r, hb_pattern_binding *b)
{
	const struct hb__token *at = &r->token[r->at];
	const char *wants = b->message ? "where a message comes from: mpi, channel, events"
				       : "where an action comes from: span, event, call";
	const char *word = hb__want_name(r, wants);
	size_t i = 0;
	while (word && i < SOURCES && (strcmp(sources[i].word, word) || sources[i].message != b->message))
		i++;
	if (!word)
		return false;
	if (i == SOURCES)
		return hb__wrong(r->p, at->line, at->column, "expected %s, found %s", wants, word);
	b->source = (hb_pattern_source)sources[i].source;
	b->halves = sources[i].halves;
	for (int k = 0; k < sources[i].names; k++) {
		const struct hb__token *t = hb__peek(r);
		if (t->kind != HB__T_NAME && t->kind != HB__T_TEXT)
			return hb__expected(r, sources[i].wants);
		b->what[k] = t->name;
		r->at++;
	}
	return true;
}

static bool once(struct hb__reader *r, const void *already, const struct hb__token *at)
{
	return !already || hb__wrong(r->p, at->line, at->column, "%s stands here twice", at->name);
}

static bool asks_contents(const struct hb__expr *e)
{
	bool found = e->kind == HB__E_ASK && e->n;
	for (uint32_t i = 0; !found && i < e->n; i++)
		found = asks_contents(e->arg[i]);
	return found;
}

static bool read_expr(struct hb__reader *r, hb_pattern_binding *b, struct hb__expr **to)
{
	*to = hb__read_value(r);
	b->contents |= *to && asks_contents(*to);
	return *to != NULL;
}

static bool read_peer(struct hb__reader *r, hb_pattern_binding *b, struct hb__expr **to, const struct hb__token *at)
{
	if (!b->message)
		return hb__wrong(
			r->p, at->line, at->column, "%s belongs to messages: %s is an action", at->name, b->name);
	r->at++;
	return once(r, *to, at) && hb__want(r, '=', "and a process") && read_expr(r, b, to);
}

static bool read_clause(struct hb__reader *r, hb_pattern_binding *b, struct hb__clauses *c)
{
	const struct hb__token *at = hb__peek(r);
	if (hb__is_word(r, "to"))
		return read_peer(r, b, &c->to, at);
	if (hb__is_word(r, "from"))
		return read_peer(r, b, &c->from, at);
	if (hb__has_word(r, "where"))
		return once(r, c->where, at) && read_expr(r, b, &c->where);
	if (hb__has_word(r, "in")) {
		const struct hb__token *t = hb__peek(r);
		if (t->kind != HB__T_TEXT)
			return hb__expected(r, "a \"text\" that reports say of the place");
		r->at++;
		if (!once(r, b->in, at))
			return false;
		b->in = t->name;
		return true;
	}
	const char *name = hb__want_name(r, "a clause: KEY = VALUE, where, to, from, in");
	uint32_t key = 0;
	while (name && key < b->nkeys && strcmp(c->key_name[key], name))
		key++;
	if (!name)
		return false;
	if (key == b->nkeys)
		return hb__wrong(r->p, at->line, at->column,
			"%s is no key of %s (line %u), and no clause: KEY = VALUE, where, to, from, in", name, b->name,
			b->line);
	return once(r, c->key[key], at) && hb__want(r, '=', "and the value of the key") &&
	       read_expr(r, b, &c->key[key]);
}

bool hb__read_clauses(struct hb__reader *r, uint32_t binding)
{
	hb_pattern_binding *b = &r->p->bindings[binding];
	struct hb__clauses *c = &r->p->clauses[binding];
	while (!hb__is_sign(r, '=') && r->at < r->end) /* the first pass has read the keys */
		r->at++;
	if (!hb__want(r, '=', "and where it comes from") || !read_source(r, b))
		return false;
	if (!(c->key = hb__take(r->p, (b->nkeys + 1) * sizeof *c->key)))
		return false;
	r->clause = true;
	while (hb__sign(r, ','))
		if (!read_clause(r, b, c))
			return false;
	for (uint32_t i = 0; i < b->nkeys; i++)
		if (!c->key[i])
			return hb__wrong(r->p, b->line, 1, "nothing says what the key %s of %s is: add %s = VALUE",
				c->key_name[i], b->name, c->key_name[i]);
	return true;
}
