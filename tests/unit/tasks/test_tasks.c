/* Task machines: the tree, the names of parts, graphs of a task, and input that may be anything. */
#include "check.h"
#include "walks.h"

static hb_tasks_trouble trouble;

/* ---- the tree ---- */

static void tree(void)
{
	for (uint32_t k = 1; k <= 5; k++) {
		hb_tasks_spec spec = {.processors = 60, .topology = k, .tasks = 1, .degree = 2, .depth = 3};
		uint32_t wrong = hb_tasks_parent(&spec, 0) != HB_TASKS_NONE || hb_tasks_parent(&spec, 1) != 0;
		for (uint32_t i = 1; i < 60; i++) {
			bool any = false;
			for (uint32_t c = k * (i - 1) + 2; c <= k * (i - 1) + k + 1 && c < 60; c++) {
				wrong += hb_tasks_parent(&spec, c) != i ||
					 hb_tasks_level(&spec, c) != hb_tasks_level(&spec, i) + 1;
				any = true;
			}
			wrong += hb_tasks_has_children(&spec, i) != any;
		}
		check(!wrong, "a tree with %u children: parents, levels, leaves", k);
	}
	hb_tasks_spec star = {.processors = 5, .topology = HB_TASKS_STAR};
	check(hb_tasks_parent(&star, 4) == 0 && hb_tasks_level(&star, 4) == 1 && !hb_tasks_has_children(&star, 1),
		"a star");
}

static void parts(void)
{
	char text[HB_TASKS_SUB_TEXT];
	hb_tasks_spec spec = {.processors = 8, .topology = 2, .tasks = 1, .degree = 2, .depth = 5};
	hb_tasks_sub sub = hb_tasks_part(&spec, hb_tasks_part(&spec, (hb_tasks_sub){0}, 1), 0);
	hb_tasks_sub_text(&spec, sub, true, text);
	check(!strcmp(text, "0010"), "second part of node 1, first one of its child: %s", text);
	hb_tasks_sub_text(&spec, sub, false, text);
	check(!strcmp(text, "0001"), "the same where node 0 splits: %s", text);
	hb_tasks_sub whole = hb_tasks_whole_of(&spec, hb_tasks_whole_of(&spec, sub));
	check(!whole.length && !whole.part && hb_tasks_last_digit(&spec, sub) == 0, "and back to the whole");
	hb_tasks_spec wide = {.processors = 8, .topology = 2, .tasks = 1, .degree = 36, .depth = 4};
	hb_tasks_sub_text(&wide, hb_tasks_part(&wide, (hb_tasks_sub){0}, 35), true, text);
	check(hb_tasks_bits(&wide) == 6 && !strcmp(text, "0z0"), "a degree of 36: %s", text);
	wide.degree = 1;
	hb_tasks_sub_text(&wide, (hb_tasks_sub){0}, true, text);
	check(!strcmp(text, "-"), "a farm has no parts: %s", text);
}

/* ---- graphs ---- */

/* Task 0 of experiment 1's kind: split at node 1 and 2, one part computed and back, one at node 5 stands, that at 3 did not arrive. */
static const char small_spec[] = "8 2 1 2 5\n";
static const char small_trace[] =
	"0 0 recv -1 0 0\n1 0 send 1 0 0\n2 1 recv 0 0 0\n3 1 send 2 0 0\n4 1 send 3 0 2\n5 2 recv 1 0 0\n"
	"6 2 send 4 0 0\n7 4 recv 2 0 0\n8 2 send 5 0 4\n9 5 recv 2 0 4\n10 4 send 2 0 0\n11 2 recv 4 0 0\n";

typedef struct loaded {
	hb_tasks_trace trace;
	hb_tasks tasks;
	hb_tasks_report report;
} loaded;

static bool load(loaded *l, const char *spec_text, const char *text, size_t n)
{
	hb_tasks_spec spec;
	*l = (loaded){0};
	return hb_tasks_parse_spec("s", spec_text, strlen(spec_text), &spec, &trouble) &&
	       hb_tasks_parse_trace("t", text, n, &spec, &l->trace, &trouble) &&
	       hb_tasks_open(&l->trace, &l->tasks, &trouble) && hb_tasks_check(&l->tasks, &l->report);
}

static void unload(loaded *l)
{
	hb_tasks_report_free(&l->report);
	hb_tasks_close(&l->tasks);
	hb_tasks_trace_free(&l->trace);
}

static bool has_arc(const hb_tasks_arc *arc, size_t n, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < n; i++)
		if (arc[i].from == from && arc[i].to == to)
			return true;
	return false;
}

static uint32_t vertex(const hb_tasks_graph *g, hb_tasks_process process, int32_t node, uint32_t events, uint32_t needs)
{
	for (uint32_t i = 0; i < g->vertices; i++)
		if (g->vertex[i].process == process && g->vertex[i].node == node && g->vertex[i].events == events &&
			g->vertex[i].needs == needs)
			return i;
	return HB_TASKS_NONE;
}

static void graphs(void)
{
	loaded l;
	hb_tasks_graph g = {0};
	check(load(&l, small_spec, small_trace, strlen(small_trace)) && hb_tasks_graph_of(&l.tasks, 0, &g),
		"a task and its graphs");
	static const hb_tasks_arc arcs[] = {
		{0, 1}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {5, 6}, {6, 8}, {6, 7}, {8, 9}, {7, 10}, {10, 11}, {8, 11}};
	uint32_t there = 0, all = sizeof arcs / sizeof *arcs;
	for (uint32_t i = 0; i < all; i++)
		there += has_arc(g.event_arc, g.event_arcs, arcs[i].from, arcs[i].to);
	check(there == all && g.event_arcs == all, "event graph: %u of %u arcs, %zu in all", there, all, g.event_arcs);
	uint32_t generate = vertex(&g, HB_TASKS_GENERATE, 0, 2, 2), one = vertex(&g, HB_TASKS_SPLIT, 1, 3, 3),
		 two = vertex(&g, HB_TASKS_SPLIT, 2, 3, 3), four = vertex(&g, HB_TASKS_COMPUTE, 4, 2, 2),
		 five = vertex(&g, HB_TASKS_OPEN, 5, 1, 2), join = vertex(&g, HB_TASKS_JOIN, 2, 1, 3);
	check(generate < g.vertices && one < g.vertices && two < g.vertices && four < g.vertices && five < g.vertices &&
			join < g.vertices && g.vertices == 6,
		"coalesced: six vertices, with so many of the events that they need");
	check(has_arc(g.arc, g.arcs, generate, one) && has_arc(g.arc, g.arcs, one, two) &&
			has_arc(g.arc, g.arcs, one, HB_TASKS_NONE) && has_arc(g.arc, g.arcs, two, four) &&
			has_arc(g.arc, g.arcs, two, five) && has_arc(g.arc, g.arcs, four, join) && g.arcs == 6,
		"coalesced: its arcs, one to what did not arrive");
	check(l.report.errors == 2 && !strcmp(l.report.error[0].process, "Distributing") &&
			l.report.error[0].node == 3 && l.report.error[0].event == 4 &&
			!strcmp(l.report.error[1].process, "comp_fn()") && l.report.error[1].node == 5 &&
			l.report.error[1].event == 9,
		"the frontier: a send without its receive, and a receive that nothing followed");
	hb_tasks_graph_free(&g);
	unload(&l);
}

/* Of a complete task every vertex is complete, and each event belongs to exactly one. */
static void complete_graphs(void)
{
	hb_tasks_spec spec = {.processors = 20, .topology = 3, .tasks = 200, .degree = 1, .depth = 1};
	loaded l = {0};
	walks_make(&spec, &l.trace);
	check(hb_tasks_open(&l.trace, &l.tasks, &trouble) && hb_tasks_check(&l.tasks, &l.report) && !l.report.errors &&
			l.report.complete == 200,
		"200 complete tasks");
	size_t wrong = 0, loose = 0;
	for (size_t i = 0; i < l.tasks.histories; i++) {
		hb_tasks_graph g = {0};
		uint32_t events = 0;
		hb_tasks_graph_of(&l.tasks, i, &g);
		for (size_t v = 0; v < g.vertices; v++) {
			wrong += g.vertex[v].events != g.vertex[v].needs;
			events += g.vertex[v].events;
		}
		wrong += events != l.tasks.history[i].events;
		for (size_t a = 0; a < g.arcs; a++)
			loose += g.arc[a].to == HB_TASKS_NONE || g.arc[a].from == HB_TASKS_NONE;
		hb_tasks_graph_free(&g);
	}
	check(!wrong && !loose, "their vertices are complete and hold all events, no arc is loose: %zu, %zu", wrong,
		loose);
	unload(&l);
}

/* ---- any input ---- */

/* Bytes of a good trace changed, taken out, doubled: an answer or an error, never anything else (ASan and UBSan look on). */
static void damaged(void)
{
	static const char letters[] = "0123456789-/ \n\tsendrcvx#.\0f";
	size_t length = strlen(small_trace), good = 0, bad = 0, unsaid = 0;
	for (uint32_t round = 0; round < 20000; round++) {
		char text[sizeof small_trace + 64];
		size_t n = length;
		memcpy(text, small_trace, length);
		for (uint32_t changes = 1 + walks_random(3); changes; changes--) {
			size_t at = walks_random((uint32_t)n);
			if (walks_random(3)) {
				text[at] = letters[walks_random(sizeof letters - 1)];
			} else if (walks_random(2)) {
				memmove(text + at, text + at + 1, --n - at);
			} else if (n < sizeof text - 1) {
				memmove(text + at + 1, text + at, n++ - at);
			}
		}
		loaded l;
		trouble.text[0] = 0;
		char spec[16];
		snprintf(spec, sizeof spec, "8 %u %u %u %u\n", walks_random(4), walks_random(3), 1 + walks_random(3),
			1 + walks_random(6));
		bool fits = load(&l, walks_random(4) ? small_spec : spec, text, n) &&
			    hb_tasks_replay(&l.tasks, true, NULL, NULL, &trouble);
		for (size_t i = 0; fits && i < l.tasks.histories; i++) {
			hb_tasks_graph g = {0};
			hb_tasks_graph_of(&l.tasks, i, &g);
			hb_tasks_graph_free(&g);
		}
		good += fits;
		bad += !fits;
		unsaid += !fits && !trouble.text[0];
		unload(&l);
	}
	check(good > 500 && bad > 1000 && !unsaid, "20000 damaged traces: %zu taken, %zu refused, each with a reason",
		good, bad);
}

int main(void)
{
	tree();
	parts();
	graphs();
	complete_graphs();
	damaged();
	return check_end();
}
