/* Which lines behave alike: by what they called where, and, where that says something, how often. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define MUCH ((uint64_t)4) /* times as many calls */

/* What is compared of a line, as numbers that are the same in every run. */
struct print {
	uint64_t where, often;
	uint32_t line, events;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t of_text(const char *text)
{
	uint64_t h = 0x9e3779b97f4a7c15u;
	for (; text && *text; text++)
		h = mix(h + (unsigned char)*text);
	return h;
}

uint64_t hb__site_key(const hb_log *log, uint32_t site)
{
	const hb_site *at = !log || site == HB_NO ? NULL : hb_log_site(log, site);
	const hb_module *module = at ? hb_log_module(log, at->module) : NULL;
	return at ? mix(of_text(module ? module->path : NULL) + at->offset) : 1;
}

static struct print print_of(const hb_totals *t, uint32_t number)
{
	const hb_line *line = &hb_model_lines(t->model)[number];
	const hb_process *process = &hb_model_processes(t->model)[line->process];
	const struct hb__line_calls *c = &t->calls[number];
	uint32_t names;
	const char *const *name = hb_layout_functions(t->layout, &names);
	struct print p = {.where = mix(line->lane * 4 + process->cut * 2 + !process->log),
		.line = number,
		.events = line->events};
	/* added, so that the order in which the calls came does not count */
	for (uint32_t i = 0; process->log && i < c->n; i++) {
		uint64_t here = mix(hb__site_key(process->log, c->at[i].site) + of_text(name[c->at[i].function]));
		p.where += here;
		p.often += mix(here + c->at[i].calls);
	}
	if (line->inside && line->events)
		p.where += mix(of_text(name[hb_layout_function(t->layout, (hb_at){number, line->events})]) + 7);
	return p;
}

static int by_print(const void *a, const void *b)
{
	const struct print *x = a, *y = b;
	if (x->where != y->where)
		return x->where < y->where ? -1 : 1;
	if (x->often != y->often)
		return x->often < y->often ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_events(const void *a, const void *b)
{
	const struct print *x = a, *y = b;
	if (x->where != y->where)
		return x->where < y->where ? -1 : 1;
	return (x->events > y->events) - (x->events < y->events);
}

/* Lines with far more or far fewer calls than the one in the middle do not behave as that does. */
static void set_apart_by_size(struct print *p, uint32_t lines)
{
	qsort(p, lines, sizeof *p, by_events);
	for (uint32_t i = 0, n; i < lines; i += n) {
		for (n = 1; i + n < lines && p[i + n].where == p[i].where; n++)
			continue;
		uint64_t middle = p[i + n / 2].events;
		for (uint32_t k = i; n > 2 && k < i + n; k++)
			p[k].where += p[k].events > MUCH * middle ? 1 : middle > MUCH * p[k].events ? 2 : 0;
	}
}

/* Whether lines of the same `where` are told apart by how often they called. */
static bool often_says_something(const struct print *p, uint32_t n)
{
	uint32_t in_big = 0;
	for (uint32_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n && p[i + same].often == p[i].often; same++)
			continue;
		in_big += 5 * (uint64_t)same >= n ? same : 0;
	}
	return 4 * (uint64_t)in_big >= 3 * (uint64_t)n;
}

/* The lines of one `where`: first, by line, is the lowest one of its kind. */
static void divide(const struct print *p, uint32_t n, uint32_t *first)
{
	bool apart = often_says_something(p, n);
	uint32_t lowest = p[0].line;
	for (uint32_t k = 0; k < n; k++)
		lowest = p[k].line < lowest ? p[k].line : lowest;
	for (uint32_t k = 0, head = 0; k < n; k++) {
		head = p[k].often == p[head].often ? head : k;
		first[p[k].line] = apart ? p[head].line : lowest;
	}
}

static void compare(hb_totals *t, uint32_t lines, struct print *p, uint32_t *first)
{
	for (uint32_t i = 0; i < lines; i++)
		p[i] = print_of(t, i);
	set_apart_by_size(p, lines);
	qsort(p, lines, sizeof *p, by_print);
	for (uint32_t i = 0, n; i < lines; i += n) {
		for (n = 1; i + n < lines && p[i + n].where == p[i].where; n++)
			continue;
		divide(&p[i], n, first);
	}
	for (uint32_t i = 0; i < lines; i++)
		t->alike[i] = first[i] == i ? t->kinds++ : t->alike[first[i]];
}

bool hb__alike_build(hb_totals *t)
{
	uint32_t lines = hb_model_get_info(t->model)->lines;
	struct print *p = malloc(((size_t)lines + 1) * sizeof *p);
	uint32_t *first = malloc(((size_t)lines + 1) * sizeof *first); /* of its kind, by line */
	bool good = p && first;
	if (good && lines)
		compare(t, lines, p, first);
	free(p);
	free(first);
	return good;
}
