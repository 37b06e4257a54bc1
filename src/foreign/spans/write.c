/* Spans become events: begins and ends, and messages for what is not told by a lane. */
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "calls/calls.h"
#include "foreign/spans/spans.h"
#include "format/row.h"

#define NAMES_MOST ((HB_FUNCTIONS_MOST - 8) / 2) /* of spans of a process */

#define BEFORE 1000 /* nanoseconds from tick 0 to the first span: a tick of 0 says that there are no times */

struct edge { /* a cause that a message stands for; its number is the message's key */
	uint32_t cause, effect;
	bool link;
};

struct name {                /* of spans of a process, by the number of its text there */
	uint32_t attributes; /* which of them its spans have */
	bool defined, more;  /* more: there were too many names */
	uint32_t begin, end; /* functions */
};

struct lane {
	uint32_t *open; /* spans under way */
	size_t n, cap;
	uint64_t exit;
};

struct process {
	hb_draft *draft;
	struct name *name;
	size_t names, names_cap, defined;
	struct lane *lane;
	size_t lanes, lanes_cap;
	uint32_t sent, received; /* functions */
	struct name more;
	uint32_t channel[3]; /* texts */
};

struct writer {
	struct hb__spans *spans;
	struct process *process;
	uint32_t *name;     /* of each span: number of a text */
	struct edge *edge;  /* by cause */
	uint32_t *first;    /* of each span: its first edge as a cause, and one more */
	uint32_t *into;     /* edges by effect */
	uint32_t *first_in; /* likewise */
	uint64_t origin;
};

enum { CHILD, LINK, ANSWER };

/* ---- causes ---- */

/* Numbers of edges in order of one end of them: first[i] is where those of span i begin. */
static bool by_end(const struct writer *w, size_t edges, bool effect, uint32_t **ret_first, uint32_t **ret_order)
{
	size_t n = w->spans->n;
	uint32_t *first = calloc(n + 2, sizeof *first), *order = calloc(edges + 1, sizeof *order);
	*ret_first = first;
	*ret_order = order;
	if (!first || !order)
		return false;
	for (size_t i = 0; i < edges; i++)
		first[(effect ? w->edge[i].effect : w->edge[i].cause) + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < edges; i++)
		order[first[(effect ? w->edge[i].effect : w->edge[i].cause) + 1]++] = (uint32_t)i;
	return true;
}

static bool find_edges(struct writer *w)
{
	const struct hb__spans *s = w->spans;
	size_t n = 0, cap = 0;
	uint32_t *order = NULL;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct hb__span *span = &s->at[i];
		for (uint32_t k = 0; k <= span->links; k++) {
			bool link = k < span->links;
			uint32_t cause = link ? span->link[k].of : span->parent.of;
			if (cause == HB_NO || (!link && span->nested))
				continue;
			if (!HB_GROW(w->edge, cap, n + 1))
				return false;
			w->edge[n++] = (struct edge){cause, i, link};
		}
	}
	if (!by_end(w, n, false, &w->first, &order) || !by_end(w, n, true, &w->first_in, &w->into)) {
		free(order);
		return false;
	}
	struct edge *sorted = malloc((n + 1) * sizeof *sorted);
	uint32_t *place = malloc((n + 1) * sizeof *place);
	for (size_t i = 0; sorted && place && i < n; i++) {
		sorted[i] = w->edge[order[i]];
		place[order[i]] = (uint32_t)i;
	}
	for (size_t i = 0; sorted && place && i < n; i++)
		w->into[i] = place[w->into[i]];
	bool good = sorted && place;
	free(order);
	free(place);
	free(w->edge);
	w->edge = sorted;
	return good;
}

/* ---- definitions ---- */

static void define(struct process *p, struct name *name, const char *text)
{
	hb_draft_field value[HB_ATTRIBUTES + 3] = {{HB_TYPE_TEXT, "kind"}, {HB_TYPE_TEXT, "trace"}};
	static const hb_draft_field ends[] = {{HB_TYPE_TEXT, "status"}, {HB_TYPE_TEXT, "message"}};
	uint32_t n = 2;
	if (name->more)
		value[n++] = (hb_draft_field){HB_TYPE_TEXT, "name"};
	for (uint32_t k = 0; hb__attribute_name(k); k++)
		if (name->attributes & 1u << k)
			value[n++] = (hb_draft_field){HB_TYPE_TEXT, hb__attribute_name(k)};
	hb_draft_function begin = {HB_USER_BEGIN, text, 0, n, NULL, value}, end = {HB_USER_END, text, 0, 2, NULL, ends};
	name->begin = hb_draft_define(p->draft, &begin);
	name->end = hb_draft_define(p->draft, &end);
	name->defined = true;
}

static struct name *name_of(struct writer *w, uint32_t number)
{
	const struct hb__span *span = &w->spans->at[number];
	struct process *p = &w->process[span->process];
	struct name *name = &p->name[w->name[number]];
	if (name->more)
		return &p->more;
	if (name->defined)
		return name;
	if (p->defined++ < NAMES_MOST) {
		define(p, name, span->name);
		return name;
	}
	name->more = true;
	if (!p->more.defined) {
		p->more = (struct name){.more = true};
		define(p, &p->more, "(more)");
	}
	return &p->more;
}

static bool begin_process(struct writer *w, uint32_t number)
{
	static const hb_draft_field channel[] = {{HB_RECORDED_TEXT, "channel"}};
	static const hb_draft_field values[] = {{HB_TYPE_UNSIGNED, "key"}, {HB_TYPE_UNSIGNED, "bytes"}};
	static const char *const channels[] = {[CHILD] = "child", [LINK] = "link", [ANSWER] = "answer"};
	struct process *p = &w->process[number];
	const struct hb__service *service = &w->spans->service[number];
	char program[512];
	int before = snprintf(program, sizeof program, "%.200s/", service->instance);
	snprintf(program + before, sizeof program - (size_t)before, "%s", service->name);
	for (char *c = program + before; *c; c++)
		*c = *c == '/' ? '_' : *c; /* the last part of the path is the name */
	p->draft = hb__import_process(w->spans->import, program, w->origin, false);
	if (!p->draft)
		return false;
	hb_draft_function sent = {HB_USER_SENT, "hb_sent", 1, 2, channel, values};
	hb_draft_function received = {HB_USER_RECEIVED, "hb_received", 1, 2, channel, values};
	p->sent = hb_draft_define(p->draft, &sent);
	p->received = hb_draft_define(p->draft, &received);
	for (int i = 0; i < 3; i++)
		p->channel[i] = hb_draft_text(p->draft, channels[i]);
	return true;
}

/* Names, which attributes the spans of each have, and lanes. */
static bool prepare(struct writer *w, uint32_t number)
{
	const struct hb__span *span = &w->spans->at[number];
	struct process *p = &w->process[span->process];
	uint32_t text = w->name[number] = hb_draft_text(p->draft, span->name);
	while (p->names <= text) {
		if (!HB_GROW(p->name, p->names_cap, p->names + 1))
			return false;
		p->name[p->names++] = (struct name){0};
	}
	for (uint32_t k = 0; k < span->attributes; k++)
		p->name[text].attributes |= 1u << span->attribute[k].key;
	while (p->lanes <= span->lane) {
		if (!HB_GROW(p->lane, p->lanes_cap, p->lanes + 1))
			return false;
		p->lane[p->lanes++] = (struct lane){0};
		hb_draft_lane(p->draft);
	}
	return true;
}

/* ---- events ---- */

static void event(struct writer *w, const struct hb__span *span, uint32_t function, uint64_t time, uint32_t nargs,
	int64_t arg, uint32_t n, const int64_t *result)
{
	struct process *p = &w->process[span->process];
	struct lane *l = &p->lane[span->lane];
	uint64_t tick = time - w->origin;
	l->exit = tick > l->exit ? tick : l->exit;
	hb_row row = {.function = function,
		.nargs = nargs,
		.arg = &arg,
		.enter = l->exit,
		.exit = l->exit,
		.nresults = n,
		.results = result};
	hb_draft_row(p->draft, span->lane, &row);
}

static void message(struct writer *w, const struct hb__span *span, bool sent, int channel, uint32_t key, uint64_t time)
{
	const struct process *p = &w->process[span->process];
	int64_t result[2] = {key, 0};
	event(w, span, sent ? p->sent : p->received, time, 1, p->channel[channel], 2, result);
}

static uint32_t value_of(const struct hb__span *span, uint32_t key, hb_draft *draft)
{
	for (uint32_t i = 0; i < span->attributes; i++)
		if (span->attribute[i].key == key)
			return hb_draft_text(draft, span->attribute[i].value);
	return hb_draft_text(draft, "");
}

static void begin_span(struct writer *w, uint32_t number)
{
	static const char *const kinds[HB_SPAN_KINDS] = {"", "internal", "server", "client", "producer", "consumer"};
	const struct hb__span *span = &w->spans->at[number];
	hb_draft *draft = w->process[span->process].draft;
	const struct name *name = name_of(w, number);
	int64_t value[HB_ATTRIBUTES + 3] = {hb_draft_text(draft, kinds[span->kind]), hb_draft_text(draft, span->trace)};
	uint32_t n = 2;
	if (name->more)
		value[n++] = hb_draft_text(draft, span->name);
	for (uint32_t k = 0; hb__attribute_name(k); k++)
		if (name->attributes & 1u << k)
			value[n++] = value_of(span, k, draft);
	for (uint32_t i = w->first_in[number]; i < w->first_in[number + 1]; i++)
		message(w, span, false, w->edge[w->into[i]].link ? LINK : CHILD, w->into[i], span->start);
	event(w, span, name->begin, span->start, 0, 0, n, value);
	for (uint32_t i = w->first[number]; i < w->first[number + 1]; i++)
		message(w, span, true, w->edge[i].link ? LINK : CHILD, i, span->start);
}

static void end_span(struct writer *w, uint32_t number)
{
	static const char *const codes[] = {"", "ok", "error"};
	const struct hb__span *span = &w->spans->at[number];
	hb_draft *draft = w->process[span->process].draft;
	for (uint32_t i = w->first[number]; i < w->first[number + 1]; i++)
		if (!w->edge[i].link && w->spans->at[w->edge[i].effect].answers)
			message(w, span, false, ANSWER, w->edge[i].effect, span->end);
	int64_t value[2] = {
		hb_draft_text(draft, codes[span->status]), hb_draft_text(draft, span->message ? span->message : "")};
	event(w, span, name_of(w, number)->end, span->end, 0, 0, 2, value);
	if (span->answers && !span->nested)
		message(w, span, true, ANSWER, number, span->end);
}

static void end_until(struct writer *w, struct lane *l, uint32_t parent)
{
	while (l->n && l->open[l->n - 1] != parent)
		end_span(w, l->open[--l->n]);
}

static bool write_all(struct writer *w)
{
	struct hb__spans *s = w->spans;
	for (uint32_t i = 0; i < s->services; i++)
		if (!begin_process(w, i))
			return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (!prepare(w, i))
			return false;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct hb__span *span = &s->at[i];
		struct lane *l = &w->process[span->process].lane[span->lane];
		end_until(w, l, span->nested ? span->parent.of : HB_NO);
		begin_span(w, i);
		if (!HB_GROW(l->open, l->cap, l->n + 1))
			return false;
		l->open[l->n++] = i;
	}
	for (uint32_t i = 0; i < s->services; i++)
		for (size_t k = 0; k < w->process[i].lanes; k++)
			end_until(w, &w->process[i].lane[k], HB_NO);
	return true;
}

static void free_writer(struct writer *w)
{
	for (uint32_t i = 0; w->process && i < w->spans->services; i++) {
		for (size_t k = 0; k < w->process[i].lanes; k++)
			free(w->process[i].lane[k].open);
		free(w->process[i].lane);
		free(w->process[i].name);
	}
	free(w->process);
	free(w->name);
	free(w->edge);
	free(w->first);
	free(w->into);
	free(w->first_in);
}

hb_status hb__spans_write(struct hb__spans *s, hb_error *err)
{
	hb_import *m = s->import;
	struct writer w = {.spans = s, .origin = s->at[0].start > BEFORE ? s->at[0].start - BEFORE : 0};
	m->first = m->last = s->at[0].start;
	for (size_t i = 0; i < s->n; i++)
		m->last = s->at[i].end > m->last ? s->at[i].end : m->last;
	w.process = calloc(s->services + 1, sizeof *w.process);
	w.name = calloc(s->n + 1, sizeof *w.name);
	bool good = w.process && w.name && find_edges(&w) && write_all(&w);
	free_writer(&w);
	return good ? HB_OK : hb__import_no_memory(m, err);
}
