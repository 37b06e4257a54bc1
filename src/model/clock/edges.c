/* Edges, and they in the pass of the clocks: what an edge begins at goes on ahead, what it ends at waits for it. */
#include "model/clock/run.h"

const hb_edge_meaning hb_edge_meanings[HB_EDGE_KINDS] = {
	[HB_EDGE_COMPLETED] = {"completed", "window", "access epoch completed, for which the target waited"},
	[HB_EDGE_FETCHED] = {"fetched", "window", "window exposed, from which the accesses fetched data"},
	[HB_EDGE_LOCKED] = {"locked", "window", "lock released, which was granted then"},
	[HB_EDGE_TURN] = {"turn", "window", "atomic operation of an earlier turn at the same target"},
	[HB_EDGE_MADE] = {"made", "spawn", "the process made, which began then"},
	[HB_EDGE_BEGAN] = {"began", "spawn", "the process made has begun, for which its makers waited"},
	[HB_EDGE_MET] = {"met", "connection", "the other side of the connection has come, for which this one waited"},
	[HB_EDGE_THREADS] = {"threads", "thread", "then another thread let this one go on", .from_exit = true},
	[HB_EDGE_FORKED] = {"forked", "fork", "the process made, which began then", .to_enter = true},
	[HB_EDGE_EXECED] = {"execed", "exec", "then the process started another program", .from_exit = true,
		.to_enter = true},
	[HB_EDGE_ENDED] = {"ended", "end", "then the process ended, for which this one waited", .from_exit = true},
	[HB_EDGE_KILLED] = {"killed", "end", "the process ended in it, for which this one waited"},
	[HB_EDGE_CLOSED] = {"closed", "stream", "the stream ended, as its other side was told"},
	[HB_EDGE_LEFT] = {"left", "stream", "then the process ended and the stream with it, as its other side was told",
		.from_exit = true},
	[HB_EDGE_BEFORE] = {"before", "ring", "received there before the first event that is kept", .to_enter = true},
	[HB_EDGE_LISTENED] = {"listened", "stream", "connections are accepted, so that this one could be made"},
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
		if (!hb_edge_from_exit(run->m->edges.at[edge].kind))
			from = hb_entered(run->m, from);
		if (r->clock[from.line] < from.event)
			r->clock[from.line] = from.event; /* the version may be older, when nothing else came since */
		hb__version_drop(&run->versions, e->version);
		e->version = HB_NO;
	}
	r->lamport = e->lamport > r->lamport ? e->lamport : r->lamport;
	return true;
}
