/* Task machines: where the tasks of a farm stand still, found from nothing but their passages between neighbours.
 *
 * Words:
 *   node      a processor. Node 0 has one child, 1; the children of node i >= 1 of a tree with k children are k(i-1)+2 ... k(i-1)+k+1
 *             (k = 1: a chain). In a star all are children of node 0.
 *   host      what hands tasks to node 0 and takes their results: the generator and the receiver. Where a trace has no lines of
 *             theirs they are part of node 0.
 *   subtask   a task may be split into `degree` parts, and these again; a subtask is the parts chosen, one digit for each split.
 *   passage   one task, or its result, from one node to a neighbour: a send and the receive that belongs to it.
 *   frontier  the last events that fitted, where something should have followed that needs nothing but them.
 *
 * Source of the method: a thesis on debugging task-oriented virtual machines, 1993 (docs/farm/detrek.md says what is taken from it and
 * what is not). Nothing here prints. Thread safety: all functions may be called by several threads for different structures. */
#ifndef HBDB_RULES_TASKS_H
#define HBDB_RULES_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Neighbours that are no nodes. Only where the hosts have events of their own a node may also say that it gives a task to a function of
 * its own, that split_fn has returned, and that it takes the result; then it may keep parts for itself. */
enum {
	HB_TASKS_GENERATOR = -1,
	HB_TASKS_RECEIVER = -2,
	HB_TASKS_COMP_FN = -3,
	HB_TASKS_SPLIT_FN = -4,
	HB_TASKS_JOIN_FN = -5, /* gives the result of what split_fn took */
};
enum { HB_TASKS_NODES_MOST = 1 << 20, HB_TASKS_DEGREE_MOST = 64 };
enum { HB_TASKS_STAR = 0 }; /* else: children of a node */
#define HB_TASKS_NONE UINT32_MAX

/* What went wrong with an input: one line, with file, line and field where there are such. */
typedef struct hb_tasks_trouble {
	char text[512];
	bool memory; /* it was memory */
} hb_tasks_trouble;

typedef struct hb_tasks_spec {
	uint32_t processors, topology, tasks, degree, depth;
} hb_tasks_spec;

/* Which part of a task: `length` splits, the first one's digit in the lowest bits of `part`, hb_tasks_bits() for each. */
typedef struct hb_tasks_sub {
	uint64_t part;
	uint32_t length;
} hb_tasks_sub;

typedef struct hb_tasks_event {
	int64_t time; /* thousandths of what the trace counts in */
	int64_t task;
	hb_tasks_sub sub;
	int32_t node, other; /* where, and the neighbour; or a host */
	uint32_t line;       /* of the trace; 0: it has none */
	bool receive;        /* else a send, which stands in the trace before its receive can have happened */
} hb_tasks_event;

typedef struct hb_tasks_trace {
	char name[256]; /* for what is said of it */
	hb_tasks_spec spec;
	hb_tasks_event *event; /* those of one node in their order */
	size_t n, room;
	bool hosts;        /* generator and receiver have events of their own */
	uint32_t cut_line; /* the last line that was cut off inside; 0: none was */
} hb_tasks_trace;

/* ---- the tree (tree.c) ---- */

/* HB_TASKS_NONE for node 0. */
uint32_t hb_tasks_parent(const hb_tasks_spec *spec, uint32_t node);
/* How many steps it is from node 0. */
uint32_t hb_tasks_level(const hb_tasks_spec *spec, uint32_t node);
/* Functions of a node are numbered behind all nodes. */
uint32_t hb_tasks_function_of(const hb_tasks_spec *spec, uint32_t node, int32_t function);
/* The node at which a node or function is. */
uint32_t hb_tasks_node_of(const hb_tasks_spec *spec, uint32_t low);
/* HB_TASKS_COMP_FN, HB_TASKS_SPLIT_FN; 0: it is a node. */
int32_t hb_tasks_is_function(const hb_tasks_spec *spec, uint32_t low);
bool hb_tasks_has_children(const hb_tasks_spec *spec, uint32_t node);
/* Bits for one digit. */
uint32_t hb_tasks_bits(const hb_tasks_spec *spec);
hb_tasks_sub hb_tasks_whole_of(const hb_tasks_spec *spec, hb_tasks_sub part);
uint32_t hb_tasks_last_digit(const hb_tasks_spec *spec, hb_tasks_sub part);
hb_tasks_sub hb_tasks_part(const hb_tasks_spec *spec, hb_tasks_sub whole, uint32_t digit);
/* As the document writes it: depth - 1 digits, the first split's the last one; a split that node 0 did not do is a 0 there.
 * "-" where there are no digits. Digits above 9 are letters. */
#define HB_TASKS_SUB_TEXT 80
void hb_tasks_sub_text(const hb_tasks_spec *spec, hb_tasks_sub sub, bool skips, char ret[HB_TASKS_SUB_TEXT]);
/* Whether such a machine can be. */
bool hb_tasks_spec_good(const hb_tasks_spec *spec, const char *name, hb_tasks_trouble *trouble);

/* ---- files (read.c) ---- */

/* PREFIX.spf and PREFIX.tvm. False: trouble says why. hb_tasks_trace_free in any case; it begins as {0}. */
bool hb_tasks_read_spec(const char *path, hb_tasks_spec *ret_spec, hb_tasks_trouble *trouble);
bool hb_tasks_read_trace(
	const char *path, const hb_tasks_spec *spec, hb_tasks_trace *ret_trace, hb_tasks_trouble *trouble);
/* The same from text in memory, which need not end with a null. */
bool hb_tasks_parse_spec(
	const char *name, const char *text, size_t n, hb_tasks_spec *ret_spec, hb_tasks_trouble *trouble);
bool hb_tasks_parse_trace(const char *name, const char *text, size_t n, const hb_tasks_spec *spec,
	hb_tasks_trace *ret_trace, hb_tasks_trouble *trouble);
void hb_tasks_trace_free(hb_tasks_trace *trace);

/* ---- farms that go on without a node (repair.c) ---- */

/* Takes out of a trace what no machine with this tree does - a node that gives or takes something a second time, or that has another
 * parent - and all that came after it, by the order of a process or by a message. What is left is the history up to where the death was
 * noticed. False: out of memory. */
bool hb_tasks_before_repair(hb_tasks_trace *trace, size_t *ret_left_out);

/* ---- the history of each task (history.c) ---- */

typedef enum hb_tasks_kind {
	HB_TASKS_SOURCE, /* the task comes into being; has no send */
	HB_TASKS_DOWN,   /* a task, from parent to child; to node 0 from the generator */
	HB_TASKS_UP,     /* a result, from child to parent; from node 0 to the receiver */
	HB_TASKS_SINK,   /* the result has been dealt with; has no receive */
	HB_TASKS_MADE,   /* split_fn has returned */
} hb_tasks_kind;

typedef struct hb_tasks_passage {
	hb_tasks_kind kind;
	uint32_t low; /* the lower one of its nodes; of a function: hb_tasks_function_of */
	hb_tasks_sub sub;
	uint32_t send, receive; /* events; HB_TASKS_NONE: there is none; of a function the same */
	/* Of SOURCE and DOWN: what became of the task where it arrived. */
	uint32_t holder; /* DOWN: the passage by which its sender had it; NONE: it comes from a generator of its own */
	uint32_t result; /* the UP, or SINK, with its result; NONE: there is none */
	uint64_t parts;  /* a bit for each part that was passed on */
	uint32_t passed; /* 1: it was passed on as it was */
	uint32_t returned; /* results of what was passed on that have come back */
	uint32_t last;     /* its last event at that node */
	bool made;         /* split_fn has returned, so parts that were not passed on wait */
} hb_tasks_passage;

typedef struct hb_tasks_history {
	int64_t task;
	bool skips;             /* node 0 did not split it */
	uint32_t first, events; /* of hb_tasks.by_task */
	uint32_t passage, passages;
	uint32_t sources; /* how often it was generated */
} hb_tasks_history;

typedef struct hb_tasks {
	const hb_tasks_trace *trace;
	uint32_t *by_task;         /* events, those of one task together and in the order of the trace */
	uint32_t *partner;         /* by event: its send or receive; NONE: there is none */
	hb_tasks_history *history; /* by number of the task; those with a number below 0 stand between others */
	size_t histories, history_room;
	hb_tasks_passage *passage; /* those of one task together, by kind, low, sub */
	size_t passages, passage_room;
} hb_tasks;

/* Finds the passages of every task and holds them against the topology and against each other. False: the trace cannot be one of
 * such a machine, trouble says where. The trace must stay. hb_tasks_close in any case; it begins as {0}. */
bool hb_tasks_open(const hb_tasks_trace *trace, hb_tasks *ret_tasks, hb_tasks_trouble *trouble);
void hb_tasks_close(hb_tasks *tasks);

/* ---- errors (fault.c) ---- */

typedef enum hb_tasks_fault {
	HB_TASKS_IN_FUNCTION = 1, /* it stands in a function of the program */
	HB_TASKS_DISTRIBUTING,    /* a task did not arrive */
	HB_TASKS_COLLECTING,      /* a result did not arrive */
	HB_TASKS_NOT_GENERATED,
	HB_TASKS_GENERATED_TWICE,
	HB_TASKS_WRONG_NUMBER,
} hb_tasks_fault;

typedef struct hb_tasks_error {
	hb_tasks_fault fault;
	int64_t task, until; /* until: the last one of several that were not generated; else the same */
	hb_tasks_sub sub;
	bool skips;
	uint32_t node;
	const char *process; /* as the table names it */
	uint32_t event;      /* on the frontier; NONE: there is none */
} hb_tasks_error;

typedef struct hb_tasks_report {
	hb_tasks_error *error; /* by task, node, subtask */
	size_t errors, room;
	uint64_t complete; /* tasks */
	uint64_t incomplete;
	int64_t not_generated; /* this one and all after it were not, which may be a consequence: no error; -1: none such */
} hb_tasks_report;

/* False: out of memory. hb_tasks_report_free in any case; it begins as {0}. */
bool hb_tasks_check(const hb_tasks *tasks, hb_tasks_report *ret_report);
void hb_tasks_report_free(hb_tasks_report *report);

/* ---- graphs of one task (graph.c) ---- */

typedef enum hb_tasks_process {
	HB_TASKS_GENERATE,
	HB_TASKS_SPLIT, /* also what only passes a task on */
	HB_TASKS_COMPUTE,
	HB_TASKS_JOIN,
	HB_TASKS_POST,
	HB_TASKS_OPEN, /* it came and nothing followed: split or compute */
} hb_tasks_process;

/* The events of one process for one subtask. */
typedef struct hb_tasks_vertex {
	hb_tasks_process process;
	int32_t node;
	hb_tasks_sub sub;
	uint32_t events, needs; /* complete when equal */
} hb_tasks_vertex;

typedef struct hb_tasks_arc {
	uint32_t from, to;
} hb_tasks_arc;

typedef struct hb_tasks_graph {
	hb_tasks_arc
		*event_arc; /* between events of the trace: at one node one after the other, and from send to receive */
	size_t event_arcs, event_room;
	hb_tasks_vertex *vertex;
	size_t vertices, vertex_room;
	hb_tasks_arc *arc; /* between vertices; a `to` of NONE: what was sent did not arrive */
	size_t arcs, arc_room;
} hb_tasks_graph;

/* False: out of memory. hb_tasks_graph_free in any case; it begins as {0}. */
bool hb_tasks_graph_of(const hb_tasks *tasks, size_t history, hb_tasks_graph *ret_graph);
void hb_tasks_graph_free(hb_tasks_graph *graph);

#endif
