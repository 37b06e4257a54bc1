/* Further edges in the pass of the clocks: orders that a rule knows of and the logs do not tell. */
#include "model/clock/run.h"

static int by_event(const void *a, const void *b)
{
	const hb_op *x = a, *y = b;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

/* The operations of a line with its edges: what begins at an event goes before its operations, what ends there behind. */
static void merge(const struct hb__line *more, const hb_op *own, size_t nown, hb_op *ret)
{
	size_t i = 0, n = 0;
	for (size_t k = 0; k < more->ops.n; k++) {
		const hb_op *o = &more->ops.at[k];
		while (i < nown && (own[i].event < o->event || (own[i].event == o->event && own[i].kind == HB__OP_OUT)))
			ret[n++] = own[i++];
		ret[n++] = *o;
	}
	while (i < nown)
		ret[n++] = own[i++];
}

static bool merge_all(struct hb__clock_run *run)
{
	hb_model *m = run->m;
	size_t lines = m->lines.n, nedges = run->ask.nedges, all = 0;
	size_t *start = calloc(lines + 2, sizeof *start);
	hb_op *own = calloc(2 * nedges + 1, sizeof *own);
	for (size_t l = 0; l < lines; l++)
		all += m->line_more.at[l].ops.n;
	run->merged = calloc(all + 2 * nedges + 1, sizeof *run->merged);
	run->edges = calloc(nedges + 1, sizeof *run->edges);
	bool fine = start && own && run->merged && run->edges;
	for (size_t i = 0; fine && i < 2 * nedges; i++)
		start[(i & 1 ? run->ask.edges[i / 2].to.line : run->ask.edges[i / 2].from.line) + 1]++;
	for (size_t l = 0; fine && l < lines; l++)
		start[l + 1] += start[l];
	for (size_t i = 0; fine && i < 2 * nedges; i++) {
		hb_at at = i & 1 ? run->ask.edges[i / 2].to : run->ask.edges[i / 2].from;
		own[start[at.line]++] = (hb_op){at.event, (uint32_t)(i / 2), i & 1 ? HB__OP_IN : HB__OP_OUT};
	}
	for (size_t l = 0, at = 0, first = 0; fine && l < lines; l++) {
		size_t n = start[l] - first;
		qsort(own + first, n, sizeof *own, by_event);
		merge(&m->line_more.at[l], own + first, n, run->merged + at);
		run->ops[l] = (struct hb__ops){run->merged + at, m->line_more.at[l].ops.n + n};
		at += run->ops[l].n;
		first = start[l];
	}
	for (size_t i = 0; fine && i < nedges; i++)
		run->edges[i] = (struct hb__edge_state){.version = HB_NO, .sleeper = HB_NO};
	free(start);
	free(own);
	return fine;
}

bool hb__edges_open(struct hb__clock_run *run)
{
	size_t lines = run->m->lines.n;
	run->ops = calloc(lines + 1, sizeof *run->ops);
	if (!run->ops)
		return false;
	for (size_t l = 0; l < lines; l++)
		run->ops[l] = (struct hb__ops){run->m->line_more.at[l].ops.at, run->m->line_more.at[l].ops.n};
	return !run->ask.nedges || merge_all(run);
}

void hb__edges_close(struct hb__clock_run *run)
{
	free(run->ops);
	free(run->merged);
	free(run->edges);
}

void hb__edge_begun(struct hb__clock_run *run, uint32_t line, uint32_t edge)
{
	struct hb__edge_state *e = &run->edges[edge];
	e->version = hb__clock_snapshot(run, line);
	e->lamport = run->lines[line].lamport_enter;
	e->begun = true;
	if (e->sleeper != HB_NO)
		hb__clock_wake(run, e->sleeper);
	e->sleeper = HB_NO;
}

bool hb__edge_ended(struct hb__clock_run *run, uint32_t line, uint32_t edge)
{
	struct hb__edge_state *e = &run->edges[edge];
	struct hb__runner *r = &run->lines[line];
	if (!e->begun && !r->force) {
		e->sleeper = line;
		return false;
	}
	r->force = false;
	e->sleeper = HB_NO;
	if (e->version != HB_NO) {
		hb_at from = run->ask.edges[edge].from;
		hb__learn(run, line, e->version);
		if (r->clock[from.line] < from.event)
			r->clock[from.line] = from.event; /* the version may be older, when nothing else came since */
		hb__version_drop(&run->versions, e->version);
		e->version = HB_NO;
	}
	r->lamport = e->lamport > r->lamport ? e->lamport : r->lamport;
	return true;
}
