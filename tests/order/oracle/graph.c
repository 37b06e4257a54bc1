/* Happened-before as the head of src/model/model.h defines it: all points, all edges,
 * the transitive closure. Slow and plain. */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

bool graph_exited(const struct graph *g, int line, int event) { return event <= g->run->exited[line]; }

int graph_last(const struct graph *g, int line, int event) { return point(line, event, graph_exited(g, line, event)); }

static void edge(struct graph *g, int from, int to, enum edge_kind kind, bool later)
{
	if (g->nedges == MAX_EDGES)
		abort();
	g->edge[g->nedges++] = (struct edge){from, to, kind, later};
}

static bool has_entered(const struct graph *g, int line, int call) { return call < g->events[line]; }

/* From the enter of one call to the exit of another, when there are such. */
static void across(struct graph *g, int line, int call, struct place to, enum edge_kind kind, bool later)
{
	if (to.thread != NONE && has_entered(g, line, call))
		edge(g, point(line, call + 1, false), point(to.thread, to.call + 1, true), kind, later);
}

static void program_order(struct graph *g)
{
	for (int l = 0; l < g->lines; l++) {
		const struct thread *t = &g->run->p->thread[l];
		int main_line = t->proc * g->run->p->lanes;
		if (t->lane && g->events[l])
			edge(g, point(main_line, 1, true), point(l, 1, false), EDGE_START, true);
		for (int e = 1; e <= g->events[l]; e++) {
			if (e > 1)
				edge(g, point(l, e - 1, true), point(l, e, false), EDGE_PROGRAM, true);
			if (graph_exited(g, l, e))
				edge(g, point(l, e, false), point(l, e, true), EDGE_PROGRAM, false);
		}
	}
}

static void messages(struct graph *g)
{
	const struct program *p = g->run->p;
	for (int i = 0; i < p->receives; i++) {
		const struct receive *r = &p->receive[i];
		if (g->run->end.got[i] == NONE)
			continue;
		const struct message *m = &p->message[g->run->end.got[i]];
		struct place own = {r->thread, r->call};
		if ((r->probe || r->matched) && graph_exited(g, r->thread, r->call + 1))
			across(g, m->thread, m->call, own, EDGE_PROBE, !m->sync);
		if (r->probe)
			continue;
		across(g, m->thread, m->call, g->run->received[i], EDGE_MESSAGE, !m->sync);
		if (m->sync)
			across(g, r->thread, r->call, g->run->sent[g->run->end.got[i]], EDGE_SYNC, false);
	}
}

static void collectives(struct graph *g)
{
	const struct program *p = g->run->p;
	for (int k = 0; k < p->colls; k++) {
		const struct collective *q = &p->coll[k];
		for (int from = 0; from < q->n; from++)
			for (int to = 0; to < q->n; to++)
				if (coll_orders(q, from, to) && q->thread[from] != NONE)
					across(g, q->thread[from], q->call[from], g->run->left[k][to], EDGE_COLLECTIVE,
						false);
	}
}

/* ---- closure ---- */

/* Points in an order in which the source of each edge stands before its target. */
static int sorted(const struct graph *g, int *ret)
{
	static int waits[MAX_POINTS];
	int n = 0, points = 0;
	bool exists[MAX_POINTS] = {false};
	memset(waits, 0, sizeof waits);
	for (int l = 0; l < g->lines; l++)
		for (int e = 1; e <= g->events[l]; e++) {
			exists[point(l, e, false)] = true;
			exists[point(l, e, true)] = graph_exited(g, l, e);
			points += 1 + graph_exited(g, l, e);
		}
	for (int i = 0; i < g->nedges; i++)
		waits[g->edge[i].to]++;
	for (int i = 0; i < MAX_POINTS; i++)
		if (exists[i] && !waits[i])
			ret[n++] = i;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < g->nedges; k++)
			if (g->edge[k].from == ret[i] && --waits[g->edge[k].to] == 0)
				ret[n++] = g->edge[k].to;
	if (n != points) {
		fprintf(stderr, "the reference itself is cyclic\n");
		abort();
	}
	return n;
}

static void close_over(struct graph *g)
{
	int order[MAX_POINTS], n = sorted(g, order);
	for (int i = 0; i < n; i++) {
		int at = order[i];
		uint32_t *own = &g->lamport[at];
		*own = at % 2 ? 0 : 1;
		g->past[at][at / 64] |= (uint64_t)1 << at % 64;
		for (int k = 0; k < g->nedges; k++) {
			const struct edge *e = &g->edge[k];
			if (e->to != at)
				continue;
			for (int w = 0; w < MAX_POINTS / 64; w++)
				g->past[at][w] |= g->past[e->from][w];
			uint32_t least = g->lamport[e->from] + e->later;
			*own = least > *own ? least : *own;
		}
	}
}

uint32_t graph_clock(const struct graph *g, int at, int line)
{
	uint32_t n = 0;
	while ((int)n < g->events[line] && graph_before(g, point(line, (int)n + 1, false), at))
		n++;
	return n;
}

void graph_build(const struct run *run, struct graph *ret)
{
	memset(ret, 0, sizeof *ret);
	ret->run = run;
	ret->lines = run->p->threads;
	for (int l = 0; l < ret->lines; l++)
		ret->events[l] = run->entered[l];
	program_order(ret);
	messages(ret);
	collectives(ret);
	close_over(ret);
}
