/* What a receive of a run could have got when nothing but it, and what follows from it, is otherwise. */
#include <string.h>

#include "oracle.h"

/* The exit at which it was known what the receive got; -1: never. */
static int known_at(const struct graph *g, int receive)
{
	const struct receive *r = &g->run->p->receive[receive];
	struct place w = r->probe || r->matched ? (struct place){r->thread, r->call} : g->run->received[receive];
	if (w.thread == NONE || !graph_exited(g, w.thread, w.call + 1))
		return -1;
	return point(w.thread, w.call + 1, true);
}

static uint8_t must_get(const struct graph *g, int receive, int other, int known)
{
	const struct program *p = g->run->p;
	int end = known_at(g, other);
	bool same = p->receive[other].thread == p->receive[receive].thread;
	if (g->run->end.cancelled >> other & 1)
		return same && other < receive ? MUST_CANCEL : MUST_FREE;
	if (other == receive || (same && other > receive))
		return MUST_FREE;
	if (same)
		return g->run->end.got[other]; /* NONE: nothing */
	return end < 0 || graph_before(g, known, end) ? MUST_FREE : g->run->end.got[other];
}

void explore_first(const struct graph *g, int receive, uint64_t states, bool weak, struct outcomes *ret)
{
	const struct run *run = g->run;
	uint8_t must[MAX_ITEMS], picks[MAX_THREADS][MAX_CALLS] = {{0}};
	int known = known_at(g, receive);
	memset(ret, 0, sizeof *ret);
	if (known < 0)
		return;
	for (int i = 0; i < run->p->receives; i++)
		must[i] = must_get(g, receive, i, known);
	for (int t = 0; t < run->p->threads; t++)
		for (int c = 0; c < run->exited[t]; c++)
			if (!graph_before(g, known, point(t, c + 1, true)))
				picks[t][c] = run->picked[t][c];
	explore(run->p,
		&(struct limits){.states = states, .must = must, .must_pick = (const uint8_t(*)[MAX_CALLS])picks}, ret);
}
