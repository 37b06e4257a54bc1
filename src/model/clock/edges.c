/* Edges, and they in the pass of the clocks: what an edge begins at goes on ahead, what it ends at waits for it. */
#include "model/clock/run.h"

const hb_edge_meaning hb_edge_meanings[HB_EDGE_KINDS] = {
#define HB_EDGE(kind, word, link, from_exit, to_enter, sentence) \
	[HB_EDGE_##kind] = {word, link, sentence, from_exit, to_enter},
#include "model/clock/edges.def"
};

void hb__edge_begun(struct hb__clock_run *run, uint32_t line, uint32_t edge)
{
	struct hb__edge_state *e = &run->edges[edge];
	e->version = hb__clock_snapshot(run, line);
	/* what it ends at comes later than this exit */
	e->lamport = hb_edge_from_exit(run->m->edges.at[edge].kind) ? run->lines[line].lamport + 1
								    : run->lines[line].lamport_enter;
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
		hb_at from = run->m->edges.at[edge].from;
		hb__learn(run, line, e->version);
		if (r->clock[from.line] < from.event)
			r->clock[from.line] = from.event; /* the version may be older, when nothing else came since */
		hb__version_drop(&run->versions, e->version);
		e->version = HB_NO;
	}
	r->lamport = e->lamport > r->lamport ? e->lamport : r->lamport;
	return true;
}
