/* One key of a model in a run: its events as a graph, with what should come next where it stopped; and the same with a vertex for
 * each process. Nothing here prints. */
#ifndef HBDB_RULES_PATTERN_KEY_H
#define HBDB_RULES_PATTERN_KEY_H

#include "rules/pattern/judge/judge.h"

/* An event of the key, or, `expected`, one that should come next. */
typedef struct hb_key_vertex {
	uint32_t binding;
	hb_pattern_half half;
	uint32_t process;
	int64_t peer;                /* -1: none */
	const hb_pattern_value *key; /* nkeys of the binding */
	hb_at at;                    /* expected: line HB_NO */
	bool expected, wrong;        /* wrong: the model does not allow it */
	bool taken;                  /* of a message that was sent: some vertex received it */
	size_t before;               /* the vertex before it at its process; SIZE_MAX: none */
	size_t sent;                 /* of a message that was received: the vertex that sent it; SIZE_MAX: none */
	uint32_t column;             /* one more than those of the two; from 0 */
} hb_key_vertex;

/* All vertices of a process, as one. */
typedef struct hb_key_process {
	uint32_t process, column;
	uint64_t events;
	size_t first, last; /* vertices */
	bool stopped;       /* something should come next there */
} hb_key_process;

/* Messages from one of them to another. */
typedef struct hb_key_arc {
	size_t from, to; /* places in `process` */
	uint32_t binding;
	uint64_t messages;
} hb_key_arc;

typedef struct hb_key_graph {
	hb_pattern_state state;
	size_t vertices, processes, arcs;
	hb_key_vertex *vertex;   /* in an order that keeps happened-before, those expected last */
	hb_key_process *process; /* in the order of their numbers */
	hb_key_arc *arc;
	uint32_t columns, process_columns;
} hb_key_graph;

enum { HB_KEY_VERTICES = 4000 }; /* of a graph that can be read */

/* value: the values of the key as tables have them, "49"; all of its `each`. HB_E_ARGUMENT: no event of the run has it, or there are more
 * vertices than can be read. The judgement must stay open as long. hb_key_graph_free. */
hb_status hb_key_graph_make(
	hb_judgement *judgement, const char *const *value, uint32_t n, hb_key_graph **ret_graph, hb_error *err);
void hb_key_graph_free(hb_key_graph *graph);

#endif
