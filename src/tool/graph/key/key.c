/* From the graph of a key to boxes and lines. */
#include "key.h"

#include <stdlib.h>
#include <string.h>

#include "../../options.h"
#include "../graph.h"

static const hb_pattern *pattern_of(const hb_key_picture *p) { return hb__model_judgement(p->found)->pattern; }

static const hb_pattern_binding *binding_of(const hb_key_picture *p, uint32_t binding)
{
	uint32_t n;
	return &hb_pattern_bindings(pattern_of(p), &n)[binding];
}

/* The keys of a vertex that are not those of its `each`: "(01)", or nothing. To be freed. */
static char *other_keys(const hb_key_picture *p, const hb_key_vertex *v)
{
	uint32_t n, nkeys = binding_of(p, v->binding)->nkeys;
	const uint8_t *each = hb_pattern_each(pattern_of(p), v->binding, &n);
	char *text = hb__copy(""), value[128];
	for (uint32_t i = 0; i < nkeys; i++) {
		bool one_of_each = false;
		for (uint32_t k = 0; k < n; k++)
			one_of_each |= each[k] == i;
		if (one_of_each)
			continue;
		char *more = hb__format("%s%s%s", text, *text ? ", " : "(",
			hb_judged_value(hb__model_judgement(p->found), &v->key[i], value, sizeof value));
		free(text);
		text = more;
	}
	char *whole = hb__format("%s%s", text, *text ? ")" : "");
	free(text);
	return whole;
}

/* "task(01) to node 3", "begin of compute". To be freed. */
static char *words_of(const hb_key_picture *p, const hb_key_vertex *v)
{
	const hb_pattern_binding *b = binding_of(p, v->binding);
	char *keys = other_keys(p, v), *text, peer[96] = "";
	if (v->peer >= 0 && v->peer < hb_model_get_info(p->found->run->model)->processes)
		hb_pattern_process(pattern_of(p), (uint32_t)v->peer, peer, sizeof peer);
	if (b->message)
		text = hb__format(
			"%s%s %s%s", b->name, keys, v->half == HB_PATTERN_SENT ? "to " : "from ", *peer ? peer : "?");
	else
		text = hb__format("%s%s%s",
			b->halves < HB_PATTERN_HALVES ? ""
			: v->half == HB_PATTERN_END   ? "end of "
						      : "begin of ",
			b->name, keys);
	free(keys);
	return text;
}

static hb_colour colour_of(const hb_pattern_binding *b, hb_pattern_half half)
{
	return hb__kind_colour(!b->message ? HB_BOX_LOCAL : half == HB_PATTERN_SENT ? HB_BOX_SEND : HB_BOX_RECEIVE);
}

static void put_vertices(hb_key_picture *p)
{
	const hb_key_graph *g = p->graph;
	p->columns = g->columns;
	p->box = hb__alloc((g->vertices + 1) * sizeof *p->box);
	p->line = hb__alloc((g->vertices + 1) * sizeof *p->line);
	for (size_t i = 0; i < g->vertices; i++) {
		const hb_key_vertex *v = &g->vertex[i];
		hb_key_box *b = &p->box[p->boxes++];
		*b = (hb_key_box){.process = v->process,
			.column = v->column,
			.words = words_of(p, v),
			.fill = colour_of(binding_of(p, v->binding), v->half),
			.expected = v->expected,
			.wrong = v->wrong,
			.before = v->before};
		if (v->at.line != HB_NO)
			hb__event_name(p->found->run, v->at, b->event);
		b->more = hb__copy(v->expected ? g->state == HB_PATTERN_WRONG ? "allowed" : "should come" : b->event);
		if (v->sent != SIZE_MAX)
			p->line[p->lines++] = (hb_key_line){v->sent, i, NULL, v->expected};
	}
}

static void put_processes(hb_key_picture *p)
{
	const hb_key_graph *g = p->graph;
	p->columns = g->process_columns;
	p->box = hb__alloc((g->processes + 1) * sizeof *p->box);
	p->line = hb__alloc((g->arcs + 1) * sizeof *p->line);
	for (size_t i = 0; i < g->processes; i++) {
		const hb_key_process *one = &g->process[i];
		hb_key_box *b = &p->box[p->boxes++];
		*b = (hb_key_box){.process = one->process,
			.column = one->column,
			.words = hb__format(
				"%llu %s", (unsigned long long)one->events, hb__plural(one->events, "event", "events")),
			.fill = hb__kind_colour(HB_BOX_COLLECTIVE),
			.expected = one->stopped,
			.before = SIZE_MAX};
		for (size_t k = 0; k < g->vertices; k++)
			b->wrong |= g->vertex[k].wrong && g->vertex[k].process == one->process;
		char first[HB_EVENT_NAME] = "";
		if (one->events) {
			hb__event_name(p->found->run, g->vertex[one->first].at, first);
			hb__event_name(p->found->run, g->vertex[one->last].at, b->event);
		}
		b->more = one->stopped ? hb__copy("stopped here") : hb__format("%s to %s", first, b->event);
	}
	for (size_t i = 0; i < g->arcs; i++) {
		const hb_key_arc *a = &g->arc[i];
		const char *name = binding_of(p, a->binding)->name;
		p->line[p->lines++] = (hb_key_line){a->from, a->to,
			a->messages == 1 ? hb__copy(name)
					 : hb__format("%llu %s", (unsigned long long)a->messages, name),
			false};
	}
}

static hb_status make_graph(hb_key_picture *p, const char *key, hb_error *err)
{
	hb_strings values = {0};
	char *copy = hb__copy(key), *rest = *copy ? copy : NULL;
	for (char *word; (word = strsep(&rest, ","));)
		hb__push(&values, word);
	hb_status status = hb_key_graph_make((hb_judgement *)hb__model_judgement(p->found),
		(const char *const *)values.at, (uint32_t)values.n, &p->graph, err);
	free(copy);
	hb__strings_free(&values);
	return status;
}

hb_status hb__key_picture_make(
	const hb_findings *found, const char *key, bool coalesced, hb_key_picture *ret, hb_error *err)
{
	static const char *const states[] = {[HB_PATTERN_COMPLETE] = "complete",
		[HB_PATTERN_STOPPED] = "stopped",
		[HB_PATTERN_WRONG] = "wrong",
		[HB_PATTERN_UNDECIDED] = "undecided"};
	*ret = (hb_key_picture){.found = found};
	hb_status status = make_graph(ret, key, err);
	if (status)
		return status;
	if (coalesced)
		put_processes(ret);
	else
		put_vertices(ret);
	uint32_t n = hb_model_get_info(found->run->model)->processes;
	ret->row = hb__alloc(((size_t)n + 1) * sizeof *ret->row);
	memset(ret->row, 0xff, ((size_t)n + 1) * sizeof *ret->row);
	for (size_t i = 0; i < ret->graph->processes; i++)
		ret->row[ret->graph->process[i].process] = ret->rows++;
	ret->title = hb__format("%s %s: %s", hb_pattern_name(pattern_of(ret)), key, states[ret->graph->state]);
	return HB_OK;
}

void hb__key_picture_free(hb_key_picture *p)
{
	for (size_t i = 0; i < p->boxes; i++) {
		free(p->box[i].words);
		free(p->box[i].more);
	}
	for (size_t i = 0; i < p->lines; i++)
		free(p->line[i].words);
	free(p->box);
	free(p->line);
	free(p->row);
	free(p->title);
	hb_key_graph_free(p->graph);
}
