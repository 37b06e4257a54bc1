/* Histories as texts, and verdicts as texts, for tests of models.
 *
 * A history is a row of events, separated by line ends or `;`. An event is WHO NAME KEY ..., where WHO is
 *   0!1  process 0 sends to 1        1?0  process 1 receives from 0        0>1  both, one behind the other
 *   2(   process 2 begins            2)   ends                             2*   both        2.  an event without an end
 * and a key is a number, or a text behind a quote: '01. Events are numbered from 0 in their order. */
#ifndef TESTS_RULES_PATTERN_HISTORY_H
#define TESTS_RULES_PATTERN_HISTORY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/pattern.h"
#include "unit/check.h"

#define HISTORY_SAYS 16384

struct history {
	hb_pattern *pattern;
	hb_pattern_check *check;
	uint64_t n; /* events fed */
	bool all;   /* verdicts of what is complete too */
	char said[HISTORY_SAYS];
	hb_pattern_sum sum;
};

__attribute__((format(printf, 2, 3))) static inline void history_say(struct history *h, const char *format, ...)
{
	size_t n = strlen(h->said);
	va_list ap;
	va_start(ap, format);
	vsnprintf(h->said + n, sizeof h->said - n, format, ap);
	va_end(ap);
}

static inline void history_fed(struct history *h, const char *name, hb_pattern_half half, uint32_t process,
	int64_t peer, const hb_pattern_value *key)
{
	uint32_t n;
	hb_error err;
	const hb_pattern_binding *b = hb_pattern_bindings(h->pattern, &n);
	hb_pattern_event e = {.half = half, .process = process, .peer = peer, .key = key, .id = h->n++};
	while (e.binding < n && strcmp(b[e.binding].name, name))
		e.binding++;
	if (e.binding == n) {
		printf("FAIL the history has an event %s, which the model does not\n", name);
		abort();
	}
	if (hb_pattern_feed(h->check, &e, &err))
		history_say(h, "error: %s\n", err.message);
}

/* One event of a history. */
static inline void history_event(struct history *h, const char *text)
{
	char name[64];
	int used = 0;
	unsigned process = (unsigned)strtoul(text, (char **)&text, 10);
	char how = *text++;
	int64_t peer = strchr("!?>", how) ? (int64_t)strtoul(text, (char **)&text, 10) : -1;
	if (!strchr("!?>().*", how) || sscanf(text, " %63s%n", name, &used) != 1) {
		printf("FAIL no event: %s\n", text);
		abort();
	}
	text += used;
	hb_pattern_value key[8];
	for (size_t k = 0; *(text += strspn(text, " ")); k++) {
		size_t n = strcspn(text, " ");
		char one[128] = "";
		memcpy(one, text, n < sizeof one ? n : sizeof one - 1);
		key[k].text = *one == '\'';
		key[k].number = key[k].text ? hb_pattern_text(h->pattern, one + 1) : strtoll(one, NULL, 10);
		text += n;
	}
	if (strchr("!>(.*", how))
		history_fed(h, name, HB_PATTERN_BEGIN, process, peer, key);
	if (how == '>')
		history_fed(h, name, HB_PATTERN_END, (uint32_t)peer, process, key);
	if (strchr("?)*", how))
		history_fed(h, name, HB_PATTERN_END, process, peer, key);
}

static inline void history_feed(struct history *h, const char *text)
{
	for (; *text; text += strspn(text, ";\n\t ")) {
		size_t n = strcspn(text, ";\n");
		char one[256] = "";
		memcpy(one, text, n < sizeof one ? n : sizeof one - 1);
		if (n)
			history_event(h, one);
		text += n;
	}
}

static inline void history_key(struct history *h, const hb_pattern_value *k)
{
	if (k->text)
		history_say(h, " '%s", hb_pattern_text_of(h->pattern, (uint32_t)k->number));
	else
		history_say(h, " %lld", (long long)k->number);
}

static inline bool history_verdict(void *user, const hb_pattern_verdict *v)
{
	static const char *const state[] = {"complete", "stopped", "wrong", "undecided"};
	struct history *h = user;
	uint32_t n;
	const hb_pattern_binding *b = hb_pattern_bindings(h->pattern, &n);
	for (uint32_t i = 0; i < v->nkeys; i++)
		history_say(h, "%s%s", i ? "," : "", v->key_name[i]), history_key(h, &v->key[i]);
	history_say(h, "%s%s", v->nkeys ? ": " : "", state[v->state]);
	if (v->state == HB_PATTERN_WRONG)
		history_say(h, " at %llu", (unsigned long long)v->wrong);
	if (v->misordered)
		history_say(h, " not behind %llu", (unsigned long long)v->misordered_by);
	if (v->ambiguous)
		history_say(h, " ambiguous at %llu", (unsigned long long)v->ambiguous_at);
	for (uint32_t i = 0; i < v->nnext; i++) {
		const hb_pattern_next *x = &v->next[i];
		bool end = x->half == HB_PATTERN_END, message = b[x->binding].message;
		history_say(h, "\n  %u%c", x->process,
			message                     ? (end ? '?' : '!')
			: b[x->binding].halves == 1 ? '.'
			: end                       ? ')'
						    : '(');
		if (message)
			history_say(h, "%lld", (long long)x->peer);
		history_say(h, " %s", b[x->binding].name);
		for (uint32_t k = 0; k < b[x->binding].nkeys; k++)
			history_key(h, &x->key[k]);
		if (x->after != HB_PATTERN_NONE)
			history_say(h, " after %llu", (unsigned long long)x->after);
	}
	history_say(h, "\n");
	return true;
}

/* NULL: a failed check was counted. */
static inline struct history *history_new(hb_pattern *pattern, hb_pattern_before *before, void *user)
{
	hb_error err;
	struct history *h = calloc(1, sizeof *h);
	h->pattern = pattern;
	if (!check(hb_pattern_begin(pattern, before, user, &h->check, &err) == HB_OK, "a check begins"))
		printf("# %s\n", err.message);
	return h;
}

/* Judges, and compares what is said: lines without a space in front are verdicts, those with two a frontier, in any order. */
static inline void history_end(struct history *h, const char *expected, const char *what)
{
	hb_error err = {0};
	if (hb_pattern_end(h->check, h->all, history_verdict, h, &h->sum, &err))
		history_say(h, "error: %s\n", err.message);
	if (!check(!strcmp(h->said, expected), "%s", what))
		printf("# expected\n%s# found\n%s", expected, h->said);
	hb_pattern_check_close(h->check);
	free(h);
}

/* A history under a model that is read already. */
static inline void history_says(hb_pattern *p, const char *history, const char *expected, const char *what)
{
	struct history *h = history_new(p, NULL, NULL);
	history_feed(h, history);
	history_end(h, expected, what);
}

static inline hb_pattern *history_model(const char *file, const char *text, uint32_t processes)
{
	hb_error err = {0};
	hb_pattern *p = NULL;
	hb_pattern_world world = {.processes = processes};
	if (!check((text ? hb_pattern_parse(file, text, &world, &p, &err) : hb_pattern_read(file, &world, &p, &err)) ==
			    HB_OK,
		    "%s is read", file))
		printf("# %s\n", err.message);
	return p;
}

#endif
