/* The part for Graphviz: events as nodes, in a cluster for each line; program order and messages as edges. */
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "graph.h"

void hb__graph_dot_string(hb_output *out, const char *text)
{
	hb__put_char(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			hb__put_char(out, '\\');
		if (*text == '\n')
			hb__put_text(out, "\\n");
		else
			hb__put_char(out, (uint8_t)*text < ' ' ? ' ' : *text);
	}
	hb__put_char(out, '"');
}

static void put_event(const hb_graph *g, hb_output *out, hb_at at)
{
	char name[HB_EVENT_NAME];
	hb__graph_dot_string(out, hb__event_name(&g->run, at, name));
}

static void put_colour(hb_output *out, hb_colour colour)
{
	char *text = hb__format("\"#%06x\"", colour >> 8);
	hb__put_text(out, text);
	free(text);
}

static void put_node(const hb_graph *g, hb_output *out, size_t i)
{
	const hb_box *b = &g->picture.boxes[i];
	char name[HB_EVENT_NAME];
	uint32_t n;
	const char *const *functions = hb_layout_functions(g->layout, &n);
	char *label = hb__format("%s %s", hb__event_name(&g->run, b->at, name),
		b->function < n ? hb__tame(hb__short_function(functions[b->function])) : "?");
	hb__put_text(out, "    ");
	put_event(g, out, b->at);
	hb__put_text(out, " [label=");
	hb__graph_dot_string(out, label);
	hb__put_text(out, ", fillcolor=");
	put_colour(out, hb__kind_colour(b->kind));
	if (b->flags & (HB_BOX_RACES | HB_BOX_INSIDE)) {
		hb__put_text(out, ", penwidth=3, color=");
		put_colour(out, b->flags & HB_BOX_INSIDE ? HB_STOP : HB_RACE);
	}
	hb__put_text(out, ", tooltip=");
	hb__graph_dot_string(out, g->texts[i]);
	hb__put_text(out, "];\n");
	free(label);
}

/* Spans lie in each other as clusters do. */
static void begin_span(const hb_graph *g, hb_output *out, const hb_span *span)
{
	char *id = hb__format("cluster_%u_%u", span->line, span->begin);
	hb__put_text(out, "    subgraph ");
	hb__graph_dot_string(out, id);
	hb__put_text(out, " {\n    style=\"filled,rounded\"; fillcolor=");
	put_colour(out, hb__span_colour(span->function));
	hb__put_text(out, "; label=");
	hb__graph_dot_string(out, hb__tame(hb__span_name(g, span)));
	hb__put_text(out, ";\n");
	free(id);
}

/* Those that begin at an event, the outer ones first, and that do so before the first that is drawn. */
static size_t begin_spans(const hb_graph *g, hb_output *out, hb_at at, bool first)
{
	size_t n = 0;
	for (size_t i = 0; i < g->picture.nspans; i++) {
		const hb_span *s = &g->picture.spans[i];
		bool begun = first && s->begin < at.event && (!s->end || s->end >= at.event);
		if (s->line != at.line || s->merged > 1 || (s->begin != at.event && !begun))
			continue;
		begin_span(g, out, s);
		n++;
	}
	return n;
}

static size_t end_spans(const hb_graph *g, hb_at at)
{
	size_t n = 0;
	for (size_t i = 0; i < g->picture.nspans; i++)
		n += g->picture.spans[i].line == at.line && g->picture.spans[i].merged == 1 &&
		     g->picture.spans[i].end == at.event;
	return n;
}

static void put_nodes(const hb_graph *g, hb_output *out, uint32_t line)
{
	size_t open = 0;
	bool first = true;
	for (size_t i = 0; i < g->picture.nboxes; i++) {
		hb_at at = g->picture.boxes[i].at;
		if (at.line != line)
			continue;
		open += begin_spans(g, out, at, first);
		first = false;
		put_node(g, out, i);
		for (size_t n = end_spans(g, at); n-- && open; open--)
			hb__put_text(out, "    }\n");
	}
	while (open--)
		hb__put_text(out, "    }\n");
}

/* Boxes of a line in the order of events, as the layout tells them. */
static void put_line(const hb_graph *g, hb_output *out, uint32_t row)
{
	char name[HB_EVENT_NAME];
	const hb_box *before = NULL;
	hb__line_name(&g->run, g->line[row], name);
	char *label = hb__format("%s%s", hb_rank_word(name), name), *id = hb__format("cluster_%u", row);
	hb__put_text(out, "  subgraph ");
	hb__graph_dot_string(out, id);
	hb__put_text(out, " {\n    label=");
	hb__graph_dot_string(out, label);
	hb__put_text(out, ";\n");
	put_nodes(g, out, g->line[row]);
	for (size_t i = 0; i < g->picture.nboxes; i++) {
		const hb_box *b = &g->picture.boxes[i];
		if (b->at.line != g->line[row])
			continue;
		if (before) {
			hb__put_text(out, "    ");
			put_event(g, out, before->at);
			hb__put_text(out, " -> ");
			put_event(g, out, b->at);
			hb__put_text(out, " [weight=10];\n");
		}
		before = b;
	}
	hb__put_text(out, "  }\n");
	free(label);
	free(id);
}

static bool drawn(const hb_graph *g, hb_at at)
{
	if (!at.event || at.line == HB_NO)
		return false;
	for (size_t i = 0; i < g->picture.nboxes; i++)
		if (g->picture.boxes[i].at.line == at.line && g->picture.boxes[i].at.event == at.event)
			return true;
	return false;
}

static void put_arrow(const hb_graph *g, hb_output *out, const hb_arrow *a)
{
	if (!drawn(g, a->from) || !drawn(g, a->to))
		return;
	if (a->flags & HB_ARROW_ORDER) {
		hb__put_text(out, "  ");
		put_event(g, out, a->from);
		hb__put_text(out, " -> ");
		put_event(g, out, a->to);
		hb__put_text(out, " [style=dashed, color=");
		put_colour(out, HB_ORDERED);
		hb__put_text(out, "];\n");
		return;
	}
	const hb_send *send = &hb_model_sends(g->run.model)[a->send];
	const hb_channel *channel = &hb_model_channels(g->run.model)[send->channel];
	const char *word = hb_model_tag_word(g->run.model, channel->group);
	char *label =
		word ? hb__format("%s %lld", word, (long long)hb_model_tag(g->run.model, channel->group, channel->tag))
		     : hb__format("%llu bytes", (unsigned long long)hb_send_bytes(g->run.model, a->send));
	hb__put_text(out, "  ");
	put_event(g, out, a->from);
	hb__put_text(out, " -> ");
	put_event(g, out, a->to);
	if (a->flags & HB_ARROW_ALTERNATIVE) {
		hb__put_text(out, " [style=dashed, constraint=false, color=");
		put_colour(out, HB_RACE);
	} else {
		hb__put_text(out, a->flags & HB_ARROW_SYNCHRONOUS ? " [constraint=false, dir=both, penwidth=2, color="
								  : " [color=");
		put_colour(out, HB_MESSAGE);
		hb__put_text(out, ", label=");
		hb__graph_dot_string(out, label);
	}
	hb__put_text(out, "];\n");
	free(label);
}

static const char *peer(const hb_graph *g, const hb_stub *stub)
{
	return hb_model_outside(g->run.model)[hb_model_crossings(g->run.model)[stub->crossing].outside].name;
}

/* Who is not recorded: a node for each address. */
static void put_peers(const hb_graph *g, hb_output *out)
{
	for (size_t i = 0; i < g->picture.nstubs; i++) {
		bool known = false;
		for (size_t k = 0; k < i && !known; k++)
			known = !strcmp(peer(g, &g->picture.stubs[k]), peer(g, &g->picture.stubs[i]));
		if (known)
			continue;
		const char *name = hb__outside_name(g, &g->picture.stubs[i]);
		char *id = hb__format("outside %s", name);
		hb__put_text(out, "  ");
		hb__graph_dot_string(out, id);
		hb__put_text(out, " [shape=plaintext, style=\"\", label=");
		hb__graph_dot_string(out, name);
		hb__put_text(out, "];\n");
		free(id);
	}
}

static void put_stub(const hb_graph *g, hb_output *out, const hb_stub *stub)
{
	char *words = hb__outside_words(g, stub), *id = hb__format("outside %s", hb__outside_name(g, stub));
	char *label =
		hb__format("%llu bytes", (unsigned long long)hb_model_crossings(g->run.model)[stub->crossing].bytes);
	hb__put_text(out, "  ");
	if (stub->in)
		hb__graph_dot_string(out, id);
	else
		put_event(g, out, stub->at);
	hb__put_text(out, " -> ");
	if (stub->in)
		put_event(g, out, stub->at);
	else
		hb__graph_dot_string(out, id);
	hb__put_text(out, " [constraint=false, color=");
	put_colour(out, HB_MESSAGE);
	hb__put_text(out, ", label=");
	hb__graph_dot_string(out, label);
	hb__put_text(out, ", tooltip=");
	hb__graph_dot_string(out, words);
	hb__put_text(out, "];\n");
	free(label);
	free(id);
	free(words);
}

static void put_ring(const hb_graph *g, hb_output *out, const hb_ring *ring)
{
	uint32_t n;
	const char *const *functions = hb_layout_functions(g->layout, &n);
	const char *function = ring->function < n ? hb__short_function(functions[ring->function]) : "collective";
	char *id = hb__format("collective %u", ring->collective);
	hb__put_text(out, "  ");
	hb__graph_dot_string(out, id);
	hb__put_text(out, " [shape=ellipse, label=");
	hb__graph_dot_string(out, function);
	hb__put_text(out, ", fillcolor=\"#d9f1ea\"];\n");
	for (uint32_t i = 0; i < ring->n; i++) {
		hb_at at = g->picture.parts[ring->first + i].at;
		if (!drawn(g, at))
			continue;
		hb__put_text(out, "  ");
		put_event(g, out, at);
		hb__put_text(out, " -> ");
		hb__graph_dot_string(out, id);
		hb__put_text(out, " [dir=none, constraint=false, color=");
		put_colour(out, hb__kind_colour(HB_BOX_COLLECTIVE));
		hb__put_text(out, "];\n");
	}
	free(id);
}

void hb__graph_dot(const hb_graph *g, hb_output *out)
{
	hb__put_text(out, "digraph ");
	hb__graph_dot_string(out, g->name);
	hb__put_text(out, " {\n  rankdir=LR;\n  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", "
			  "fontsize=10];\n"
			  "  edge [fontname=\"Helvetica\", fontsize=8];\n");
	for (uint32_t row = 0; row < g->nlines; row++)
		put_line(g, out, row);
	for (size_t i = 0; i < g->picture.nrings; i++)
		put_ring(g, out, &g->picture.rings[i]);
	for (size_t i = 0; i < g->narrows; i++)
		put_arrow(g, out, &g->arrows[i]);
	put_peers(g, out);
	for (size_t i = 0; i < g->picture.nstubs; i++)
		put_stub(g, out, &g->picture.stubs[i]);
	hb__put_text(out, "}\n");
}
