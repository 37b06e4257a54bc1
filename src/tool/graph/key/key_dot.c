/* The picture of a key for Graphviz: a cluster for each process. */
#include <stdlib.h>

#include "../../show/inert.h"
#include "../graph.h"
#include "key.h"

static void put_node(const hb_key_picture *p, hb_output *out, size_t i)
{
	const hb_key_box *b = &p->box[i];
	char *head = hb__format("    n%zu [label=", i), *label = hb__format("%s\n%s", b->words, b->more);
	char *rest = hb__format(", fillcolor=\"#%06x\"%s%s];\n",
		(b->expected && !*b->event ? 0xffffffff : b->fill) >> 8, b->expected ? ", style=\"filled,dashed\"" : "",
		b->expected || b->wrong ? ", color=\"#c81e3a\", penwidth=2" : "");
	hb__put_text(out, head);
	hb__graph_dot_string(out, label);
	hb__put_text(out, rest);
	free(head);
	free(label);
	free(rest);
}

static void put_edge(hb_output *out, size_t from, size_t to, const char *words, const char *how)
{
	char *head = hb__format("  n%zu -> n%zu [%s", from, to, how);
	hb__put_text(out, head);
	if (words) {
		hb__put_text(out, ", label=");
		hb__graph_dot_string(out, words);
	}
	hb__put_text(out, "];\n");
	free(head);
}

void hb__key_dot(const hb_key_picture *p, hb_output *out)
{
	char name[96];
	hb__put_text(out, "digraph ");
	hb__graph_dot_string(out, p->title);
	hb__put_text(out,
		" {\n  rankdir=LR;\n  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10];\n"
		"  edge [fontname=\"Helvetica\", fontsize=8];\n");
	for (size_t k = 0; k < p->graph->processes; k++) {
		uint32_t process = p->graph->process[k].process;
		char *head = hb__format("  subgraph cluster_%u {\n    label=", process);
		hb_pattern_process(hb__model_judgement(p->found)->pattern, process, name, sizeof name);
		hb__put_text(out, head);
		hb__graph_dot_string(out, name);
		hb__put_text(out, ";\n");
		for (size_t i = 0; i < p->boxes; i++)
			if (p->box[i].process == process)
				put_node(p, out, i);
		hb__put_text(out, "  }\n");
		free(head);
	}
	for (size_t i = 0; i < p->boxes; i++)
		if (p->box[i].before != SIZE_MAX)
			put_edge(out, p->box[i].before, i, NULL, p->box[i].expected ? "style=dashed" : "weight=10");
	for (size_t i = 0; i < p->lines; i++)
		put_edge(out, p->line[i].from, p->line[i].to, p->line[i].words,
			p->line[i].expected ? "style=dashed, color=\"#0b57c9\"" : "color=\"#0b57c9\"");
	hb__put_text(out, "}\n");
}
