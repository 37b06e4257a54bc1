/* Values: text to expressions, with names resolved. By precedence, one function a level. */
#include <stdarg.h>
#include <string.h>

#include "rules/pattern/language/lex.h"

#define ARGUMENTS 64 /* of a call, members of a set that are written out */

static const struct {
	const char *name;
	int arguments;
} words[HB__WORDS] = {{"len", 1}, {"min", 2}, {"max", 2}, {"count", 1}, {"process", 1}};

static const char *const contents[] = {"int32", "int64", "byte", "real64"};

static struct hb__expr *node(struct hb__reader *r, const struct hb__token *at, int kind, int op, uint32_t n, ...)
{
	struct hb__expr *e = hb__take(r->p, sizeof *e);
	struct hb__expr **arg = n ? hb__take(r->p, n * sizeof *arg) : NULL;
	if (!e || (n && !arg))
		return NULL;
	*e = (struct hb__expr){
		.kind = (uint16_t)kind, .op = (uint16_t)op, .line = at->line, .column = at->column, .n = n, .arg = arg};
	va_list ap;
	va_start(ap, n);
	for (uint32_t i = 0; i < n; i++)
		if (!(arg[i] = va_arg(ap, struct hb__expr *)))
			e = NULL;
	va_end(ap);
	return e;
}

static struct hb__expr *constant(struct hb__reader *r, const struct hb__token *at, hb__value value)
{
	struct hb__expr *e = node(r, at, HB__E_CONST, 0, 0);
	if (e)
		e->value = value;
	return e;
}

/* Values in a row, up to a closing sign that is taken too. */
static bool list(struct hb__reader *r, int close, struct hb__expr ***ret_arg, uint32_t *ret_n)
{
	struct hb__expr *found[ARGUMENTS];
	uint32_t n = 0;
	while (!hb__sign(r, close)) {
		if (n && !hb__want(r, ',', "between values"))
			return false;
		const struct hb__token *at = &r->token[r->at];
		if (n == ARGUMENTS)
			return hb__wrong(r->p, at->line, at->column, "more than %d values in a row", ARGUMENTS);
		if (!(found[n++] = hb__read_value(r)))
			return false;
	}
	*ret_n = n;
	*ret_arg = hb__take(r->p, (n ? n : 1) * sizeof **ret_arg);
	if (*ret_arg && n)
		memcpy(*ret_arg, found, n * sizeof *found);
	return *ret_arg != NULL;
}

bool hb__read_arguments(struct hb__reader *r, struct hb__expr ***ret_arg, uint32_t *ret_n)
{
	*ret_n = 0;
	*ret_arg = NULL;
	return !hb__sign(r, '(') || list(r, ')', ret_arg, ret_n);
}

static struct hb__expr *with_list(struct hb__reader *r, const struct hb__token *at, int kind, int close)
{
	struct hb__expr *e = node(r, at, kind, 0, 0);
	return e && list(r, close, &e->arg, &e->n) ? e : NULL;
}

static const struct hb__let *find_let(const hb_pattern *p, const char *name)
{
	for (size_t i = 0; i < p->nlets; i++)
		if (!strcmp(p->lets[i].name, name))
			return &p->lets[i];
	return NULL;
}

/* name(...): one of the language's words, of the contents of a message, or a function. */
static struct hb__expr *applied(struct hb__reader *r, const struct hb__token *at)
{
	r->at += 2;
	for (int i = 0; i < HB__WORDS; i++)
		if (!strcmp(at->name, words[i].name)) {
			struct hb__expr *e = with_list(r, at, HB__E_WORD, ')');
			if (e && e->n != (uint32_t)words[i].arguments)
				return hb__wrong(r->p, at->line, at->column, "%s takes %d value%s, not %u", at->name,
					words[i].arguments, words[i].arguments == 1 ? "" : "s", e->n);
			if (e)
				e->op = (uint16_t)i;
			return e;
		}
	for (size_t i = 0; r->clause && i < sizeof contents / sizeof *contents; i++)
		if (!strcmp(at->name, contents[i])) {
			struct hb__expr *e = with_list(r, at, HB__E_ASK, ')');
			if (e && e->n != 1)
				return hb__wrong(r->p, at->line, at->column, "%s takes the number of a byte", at->name);
			if (e) {
				e->name = at->name;
				e->value = -1;
			}
			return e;
		}
	const struct hb__let *let = find_let(r->p, at->name);
	if (!let)
		return hb__wrong(r->p, at->line, at->column, "no function %s: define it by let %s(...) = ...", at->name,
			at->name);
	struct hb__expr *e = with_list(r, at, HB__E_APPLY, ')');
	if (e && e->n != let->nparams)
		return hb__wrong(r->p, at->line, at->column, "%s has %u parameter%s (line %u), not %u", at->name,
			let->nparams, let->nparams == 1 ? "" : "s", let->line, e->n);
	if (e)
		e->value = let - r->p->lets;
	return e;
}

static struct hb__expr *named(struct hb__reader *r, const struct hb__token *at)
{
	r->at++;
	for (uint32_t i = r->names; i > 0; i--)
		if (!strcmp(r->name[i - 1], at->name)) {
			struct hb__expr *e = node(r, at, HB__E_VAR, 0, 0);
			if (e)
				e->value = i - 1;
			return e;
		}
	const struct hb__let *let = find_let(r->p, at->name);
	if (let && let->nparams)
		return hb__wrong(r->p, at->line, at->column, "%s is a function (line %u): give it its values in ( )",
			at->name, let->line);
	if (!let && !strcmp(at->name, "size"))
		return constant(r, at, r->p->processes);
	if (!let && !r->clause)
		return hb__wrong(r->p, at->line, at->column, "no value %s here: define it by let %s = ..., or bind it",
			at->name, at->name);
	struct hb__expr *e = node(r, at, r->clause ? HB__E_ASK : HB__E_GLOBAL, 0, 0);
	if (e) {
		e->name = at->name;
		e->value = let ? let - r->p->lets : -1;
	}
	return e;
}

static struct hb__expr *braces(struct hb__reader *r, const struct hb__token *at)
{
	r->at++;
	if (hb__sign(r, '}'))
		return node(r, at, HB__E_SET, 0, 0);
	struct hb__expr *one = hb__read_value(r);
	if (one && hb__sign(r, HB__S_DOTS)) {
		struct hb__expr *last = hb__read_value(r);
		return last && hb__want(r, '}', "behind the last number of the range")
			       ? node(r, at, HB__E_RANGE, 0, 2, one, last)
			       : NULL;
	}
	if (!one || (!hb__is_sign(r, '}') && !hb__want(r, ',', "or } or .. in a set")))
		return NULL;
	struct hb__expr *e = with_list(r, at, HB__E_SET, '}');
	struct hb__expr **all = e ? hb__take(r->p, (e->n + 1) * sizeof *all) : NULL;
	if (!all)
		return NULL;
	all[0] = one;
	memcpy(all + 1, e->arg, e->n * sizeof *all);
	e->arg = all;
	e->n++;
	return e;
}

static struct hb__expr *single(struct hb__reader *r)
{
	const struct hb__token *at = hb__peek(r);
	if (at->kind == HB__T_NUMBER) {
		r->at++;
		return constant(r, at, at->number);
	}
	if (at->kind == HB__T_TEXT) {
		r->at++;
		hb__value text = hb__text(&r->p->values, at->name, strlen(at->name));
		return text == HB__LEAST ? hb__pattern_no_memory(r->p) : constant(r, at, text);
	}
	if (at->kind == HB__T_NAME) {
		const struct hb__token *next = hb__peek_next(r);
		return next->kind == HB__T_SIGN && next->sign == '(' ? applied(r, at) : named(r, at);
	}
	if (hb__is_sign(r, '{'))
		return braces(r, at);
	if (hb__sign(r, '(')) {
		struct hb__expr *e = hb__read_value(r);
		return e && hb__want(r, ')', "behind the value") ? e : NULL;
	}
	return hb__expected(r, "a value");
}

static struct hb__expr *unary(struct hb__reader *r)
{
	const struct hb__token *at = hb__peek(r);
	int op = hb__is_sign(r, '-') ? HB__NEGATIVE : hb__is_sign(r, '!') ? '!' : 0;
	if (!hb__deeper(r))
		return NULL;
	r->at += op != 0;
	struct hb__expr *e = op ? unary(r) : single(r);
	r->nested--;
	return e && op ? node(r, at, HB__E_OP, op, 1, e) : e;
}

/* From what binds closest to what binds least. */
static const struct {
	uint16_t sign, op;
} levels[][6] = {
	{{'*', '*'}, {'/', '/'}, {'%', '%'}},
	{{'+', '+'}, {'-', '-'}},
	{{'.', '.'}},
	{{'&', '&'}, {'\\', '\\'}},
	{{HB__S_EQ, HB__EQ}, {HB__S_NE, HB__NE}, {'<', '<'}, {HB__S_LE, HB__LE}, {'>', '>'}, {HB__S_GE, HB__GE}},
	{{HB__S_AND, HB__AND}},
	{{HB__S_BARS, HB__OR}},
};
#define LEVELS ((int)(sizeof levels / sizeof *levels))
#define SUMS 3 /* levels that a process is written with */

static struct hb__expr *binary(struct hb__reader *r, int level)
{
	struct hb__expr *e = level ? binary(r, level - 1) : unary(r);
	uint32_t before = r->nested;
	for (int i = 0; e && i < 6 && levels[level][i].sign;) {
		const struct hb__token *at = hb__peek(r);
		if (!hb__sign(r, levels[level][i].sign)) {
			i++;
			continue;
		}
		if (!hb__deeper(r)) /* what is evaluated is as deep as there are of them */
			return NULL;
		struct hb__expr *other = level ? binary(r, level - 1) : unary(r);
		e = other ? node(r, at, HB__E_OP, levels[level][i].op, 2, e, other) : NULL;
		i = 0;
	}
	r->nested = before;
	return e;
}

struct hb__expr *hb__read_sum(struct hb__reader *r) { return binary(r, SUMS - 1); }

struct hb__expr *hb__read_value(struct hb__reader *r)
{
	if (!hb__deeper(r))
		return NULL;
	const struct hb__token *at = hb__peek(r);
	struct hb__expr *e = binary(r, LEVELS - 1);
	if (e && hb__sign(r, '?')) {
		struct hb__expr *yes = hb__read_value(r);
		struct hb__expr *no =
			yes && hb__want(r, ':', "between the two values of a condition") ? hb__read_value(r) : NULL;
		e = no ? node(r, at, HB__E_OP, '?', 3, e, yes, no) : NULL;
	}
	r->nested--;
	return e;
}
