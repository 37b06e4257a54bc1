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

/* Whether the other one may turn out otherwise once this one did. */
static bool follows(const struct graph *g, int receive, int other, int known)
{
	const struct program *p = g->run->p;
	if (p->receive[other].thread == p->receive[receive].thread)
		return other > receive;
	int end = known_at(g, other);
	return end < 0 || graph_before(g, known, end);
}

void explore_first(const struct graph *g, int receive, uint64_t states, bool weak, struct outcomes *ret)
{
	const struct run *run = g->run;
	struct must must = {.until = (uint8_t)receive};
	int known = known_at(g, receive);
	memset(ret, 0, sizeof *ret);
	if (known < 0)
		return;
	for (int i = 0; i < run->p->receives; i++) {
		uint8_t truth = run->end.cancelled >> i & 1 ? MUST_CANCEL : run->end.got[i];
		must.got[0][i] = i == receive ? MUST_FREE : truth;
		must.got[1][i] = i == receive || follows(g, receive, i, known) ? MUST_FREE : truth;
	}
	for (int t = 0; t < run->p->threads; t++)
		for (int c = 0; c < run->exited[t]; c++) {
			must.picked[0][t][c] = run->picked[t][c];
			must.picked[1][t][c] = graph_before(g, known, point(t, c + 1, true)) ? 0 : run->picked[t][c];
		}
	explore(run->p, &(struct limits){.states = states, .weak = weak, .must = &must}, ret);
}
