/* Expressions of values, evaluated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/language/ast.h"

#define NESTED 3000                 /* expressions inside of each other, through functions that call each other */
#define STEPS ((uint64_t)100000000) /* of one event */
#define SET_MEMBERS 1000000

static hb__value wrong_kind(hb_pattern *p, const struct hb__expr *e, const char *wants, hb__value found)
{
	hb__wrong(p, e->line, e->column, "%s wanted, not a %s", wants,
		hb__is_text(found)  ? "text"
		: hb__is_set(found) ? "set"
				    : "number");
	return 0;
}

int64_t hb__eval_number(hb_pattern *p, const struct hb__expr *e, const hb__value *slot, const char *what)
{
	hb__value v = hb__eval(p, e, slot);
	return hb__is_number(v) || p->failed ? v : wrong_kind(p, e, what, v);
}

hb__value hb__eval_set(hb_pattern *p, const struct hb__expr *e, const hb__value *slot)
{
	hb__value v = hb__eval(p, e, slot);
	return hb__is_set(v) || p->failed ? v : wrong_kind(p, e, "a set", v);
}

static hb__value made(hb_pattern *p, hb__value v)
{
	if (v != HB__LEAST)
		return v;
	hb__pattern_no_memory(p);
	return 0;
}

static hb__value join(hb_pattern *p, const struct hb__expr *e, hb__value a, hb__value b)
{
	char digits[2][24];
	const char *part[2];
	size_t n[2];
	hb__value v[2] = {a, b};
	for (int i = 0; i < 2; i++)
		if (hb__is_number(v[i])) {
			n[i] = (size_t)snprintf(digits[i], sizeof digits[i], "%lld", (long long)v[i]);
			part[i] = digits[i];
		} else if (hb__is_text(v[i])) {
			part[i] = hb__text_of(&p->values, v[i], &n[i]);
		} else {
			return wrong_kind(p, e, "a text or a number", v[i]);
		}
	char *both = n[0] + n[1] <= 65536 ? malloc(n[0] + n[1] + 1) : NULL;
	if (!both) {
		hb__wrong(p, e->line, e->column, "a text of more than 65536 bytes");
		return 0;
	}
	memcpy(both, part[0], n[0]);
	memcpy(both + n[0], part[1], n[1]);
	hb__value text = hb__text(&p->values, both, n[0] + n[1]);
	free(both);
	return made(p, text);
}

static hb__value of_sets(hb_pattern *p, const struct hb__expr *e, hb__value a, hb__value b)
{
	if (!hb__is_set(a) || !hb__is_set(b))
		return wrong_kind(p, e, "a set", hb__is_set(a) ? b : a);
	size_t n, to = 0;
	const int64_t *from = hb__members(&p->values, a, &n);
	int64_t *member = malloc((n ? n : 1) * sizeof *member);
	if (!member)
		return made(p, HB__LEAST);
	for (size_t i = 0; i < n; i++)
		if (hb__member(&p->values, b, from[i]) == (e->op == '&'))
			member[to++] = from[i];
	hb__value set = hb__set(&p->values, member, to);
	free(member);
	return made(p, set);
}

static hb__value range(hb_pattern *p, const struct hb__expr *e, int64_t first, int64_t last)
{
	uint64_t n = last < first ? 0 : (uint64_t)last - (uint64_t)first + 1;
	p->steps += n;
	int64_t *member = n <= SET_MEMBERS ? malloc((n ? n : 1) * sizeof *member) : NULL;
	if (!member) {
		hb__wrong(p, e->line, e->column, "a set of more than %d numbers", SET_MEMBERS);
		return 0;
	}
	for (uint64_t i = 0; i < n; i++)
		member[i] = first + (int64_t)i;
	hb__value set = hb__set(&p->values, member, n);
	free(member);
	return made(p, set);
}

static hb__value set_of(hb_pattern *p, const struct hb__expr *e, const hb__value *slot)
{
	int64_t *member = malloc((e->n + 1) * sizeof *member);
	if (!member)
		return made(p, HB__LEAST);
	for (uint32_t i = 0; i < e->n; i++)
		member[i] = hb__eval_number(p, e->arg[i], slot, "a number (sets are of numbers)");
	hb__value set = p->failed ? 0 : made(p, hb__set(&p->values, member, e->n));
	free(member);
	return set;
}

static hb__value arithmetic(hb_pattern *p, const struct hb__expr *e, int64_t a, int64_t b)
{
	int64_t v = 0;
	bool over = false;
	switch (e->op) {
	case '+':
		over = __builtin_add_overflow(a, b, &v);
		break;
	case '-':
		over = __builtin_sub_overflow(a, b, &v);
		break;
	case '*':
		over = __builtin_mul_overflow(a, b, &v);
		break;
	case HB__NEGATIVE:
		over = __builtin_sub_overflow(0, a, &v);
		break;
	case '<':
		return a < b;
	case '>':
		return a > b;
	case HB__LE:
		return a <= b;
	case HB__GE:
		return a >= b;
	case '!':
		return !a;
	default: /* '/' and '%', towards zero */
		if (!b) {
			hb__wrong(p, e->line, e->column, "division by zero");
			return 0;
		}
		v = b == -1 ? (e->op == '%' ? 0 : -a) : e->op == '/' ? a / b : a % b;
	}
	if (over || !hb__is_number(v)) {
		hb__wrong(p, e->line, e->column, "the number is too large");
		return 0;
	}
	return v;
}

static hb__value operation(hb_pattern *p, const struct hb__expr *e, const hb__value *slot)
{
	if (e->op == '?' || e->op == HB__AND || e->op == HB__OR) {
		bool first = hb__eval_number(p, e->arg[0], slot, "a condition") != 0;
		if (e->op == '?')
			return p->failed ? 0 : hb__eval(p, e->arg[first ? 1 : 2], slot);
		if (p->failed || first != (e->op == HB__AND))
			return first;
		return hb__eval_number(p, e->arg[1], slot, "a condition") != 0;
	}
	hb__value a = hb__eval(p, e->arg[0], slot), b = e->n > 1 ? hb__eval(p, e->arg[1], slot) : 0;
	if (p->failed)
		return 0;
	switch (e->op) {
	case HB__EQ:
		return a == b;
	case HB__NE:
		return a != b;
	case '.':
		return join(p, e, a, b);
	case '&':
	case '\\':
		return of_sets(p, e, a, b);
	default:
		if (!hb__is_number(a) || !hb__is_number(b))
			return wrong_kind(p, e, "a number", hb__is_number(a) ? b : a);
		return arithmetic(p, e, a, b);
	}
}

static hb__value process_named(hb_pattern *p, const struct hb__expr *e, hb__value name)
{
	if (!hb__is_text(name))
		return wrong_kind(p, e, "the name of a process, as a text,", name);
	const char *text = hb__text_of(&p->values, name, NULL);
	for (uint32_t i = 0; p->process_name && i < p->processes; i++)
		if (!strcmp(p->process_name[i], text))
			return i;
	hb__wrong(p, e->line, e->column, "no process is called %s: hbdb info lists them", text);
	return 0;
}

static hb__value word(hb_pattern *p, const struct hb__expr *e, const hb__value *slot)
{
	hb__value a = hb__eval(p, e->arg[0], slot), b = e->n > 1 ? hb__eval(p, e->arg[1], slot) : 0;
	size_t n;
	if (p->failed)
		return 0;
	switch (e->op) {
	case HB__LEN:
		if (!hb__is_text(a))
			return wrong_kind(p, e, "a text", a);
		hb__text_of(&p->values, a, &n);
		return (hb__value)n;
	case HB__COUNT:
		if (!hb__is_set(a))
			return wrong_kind(p, e, "a set", a);
		hb__members(&p->values, a, &n);
		return (hb__value)n;
	case HB__PROCESS:
		return process_named(p, e, a);
	default:
		if (!hb__is_number(a) || !hb__is_number(b))
			return wrong_kind(p, e, "a number", hb__is_number(a) ? b : a);
		return (e->op == HB__MIN) == (a < b) ? a : b;
	}
}

static hb__value global(hb_pattern *p, size_t number)
{
	struct hb__let *let = &p->lets[number];
	if (let->known == 1) {
		hb__wrong(p, let->line, 1, "%s is defined by itself: give it a value that does not need it", let->name);
		return 0;
	}
	if (!let->known) {
		let->known = 1;
		let->value = hb__eval(p, let->body, NULL);
		let->known = 2;
	}
	return let->value;
}

static hb__value apply(hb_pattern *p, const struct hb__expr *e, const hb__value *slot)
{
	hb__value arg[HB__SLOTS] = {0};
	const struct hb__let *let = &p->lets[e->value];
	for (uint32_t i = 0; i < e->n; i++)
		arg[i] = hb__eval(p, e->arg[i], slot);
	struct hb__applied *kept = NULL;
	if (e->n && e->n <= 2) {
		uint64_t h = hb__mix(hb__mix((uint64_t)e->value, (uint64_t)arg[0]), e->n > 1 ? (uint64_t)arg[1] : 0);
		kept = &p->applied[h % HB__APPLIED];
		if (kept->let == e->value + 1 && kept->arg[0] == arg[0] && (e->n == 1 || kept->arg[1] == arg[1]))
			return kept->value;
	}
	hb__value v = hb__eval(p, let->body, arg);
	if (kept && !p->failed)
		*kept = (struct hb__applied){(uint32_t)e->value + 1, {arg[0], e->n > 1 ? arg[1] : 0}, v};
	return v;
}

static hb__value asked(hb_pattern *p, const struct hb__expr *e, const hb__value *slot)
{
	int64_t offset = e->n ? hb__eval_number(p, e->arg[0], slot, "the number of a byte") : 0;
	hb_pattern_value v;
	if (p->failed)
		return 0;
	if (!p->ask || !p->ask(p->ask_user, e->name, offset, &v)) {
		if (e->value >= 0)
			return global(p, (size_t)e->value);
		if (e->n)
			hb__wrong(p, e->line, e->column, "no %s(%lld) of this message: was it recorded at level data?",
				e->name, (long long)offset);
		else
			hb__wrong(p, e->line, e->column, "the event has no value %s", e->name);
		return 0;
	}
	if (v.text)
		return HB__TEXTS + (v.number & UINT32_MAX);
	if (!hb__is_number(v.number))
		hb__wrong(p, e->line, e->column, "the event's value %s is too low for a model", e->name);
	return v.number;
}

static hb__value evaluate(hb_pattern *p, const struct hb__expr *e, const hb__value *slot)
{
	switch (e->kind) {
	case HB__E_CONST:
		return e->value;
	case HB__E_VAR:
		return slot[e->value];
	case HB__E_GLOBAL:
		return global(p, (size_t)e->value);
	case HB__E_APPLY:
		return apply(p, e, slot);
	case HB__E_ASK:
		return asked(p, e, slot);
	case HB__E_OP:
		return operation(p, e, slot);
	case HB__E_SET:
		return set_of(p, e, slot);
	case HB__E_RANGE: {
		int64_t first = hb__eval_number(p, e->arg[0], slot, "a number");
		int64_t last = hb__eval_number(p, e->arg[1], slot, "a number");
		return p->failed ? 0 : range(p, e, first, last);
	}
	default:
		return word(p, e, slot);
	}
}

hb__value hb__eval(hb_pattern *p, const struct hb__expr *e, const hb__value *slot)
{
	if (p->failed)
		return 0;
	if (++p->steps > STEPS) {
		hb__wrong(p, e->line, e->column, "the value takes too long: more than %llu steps",
			(unsigned long long)STEPS);
		return 0;
	}
	if (p->depth >= NESTED) {
		hb__wrong(p, e->line, e->column,
			"functions that use each other more than %d deep: do they come to an end?", NESTED);
		return 0;
	}
	p->depth++;
	hb__value v = evaluate(p, e, slot);
	p->depth--;
	return v;
}

uint32_t hb__variables(const struct hb__expr *e)
{
	uint32_t set = e->kind == HB__E_VAR ? 1u << e->value : 0;
	for (uint32_t i = 0; i < e->n; i++)
		set |= hb__variables(e->arg[i]);
	return set;
}

bool hb__same_expr(const struct hb__expr *a, const struct hb__expr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->op != b->op || a->value != b->value || a->n != b->n || a->kind == HB__E_ASK)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!hb__same_expr(a->arg[i], b->arg[i]))
			return false;
	return true;
}
