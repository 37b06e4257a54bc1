/* What keeps stuck lines stuck: a line whose releasers are all over, or a cycle. */
#include "rules/deadlock/wait.h"

/* ---- orphans ---- */

static bool is_over(const struct hb__graph *g, uint32_t process, uint32_t self)
{
	if (process == self)
		return hb_model_processes(g->m)[self].nlines == 1;
	return g->process[process] == HB__OVER;
}

/* Nothing that the node waits for can come from anybody but those who are over. */
static bool hopeless(const struct hb__graph *g, uint32_t node, uint32_t self)
{
	const struct hb__node *n = &g->node[node];
	if (n->kind == HB__NODE_LINE ||
		(n->n && g->node[g->edge[n->first].input].kind == HB__NODE_LINE && n->kind == HB__NODE_ANY))
		return false;
	if (n->kind == HB__NODE_PROCESS)
		return is_over(g, n->id, self);
	bool all = n->needs != 0, one = false;
	for (uint32_t i = 0; i < n->n; i++) {
		bool over = is_over(g, g->edge[n->first + i].input, self);
		all = all && over;
		one = one || (over && g->edge[n->first + i].input != self);
	}
	return n->kind == HB__NODE_ANY ? all : one;
}

bool hb__is_orphan(const struct hb__graph *g, uint32_t line, uint32_t *ret_need)
{
	const struct hb__wait *w = &g->wait[line];
	bool all = w->n > 0;
	if (!hb__is_stuck(g, line))
		return false;
	for (uint32_t i = w->n; i-- > 0;) {
		bool lost = hopeless(g, g->need[w->need + i].node, w->process);
		if (lost)
			*ret_need = w->need + i;
		if (lost && !w->any)
			return true;
		all = all && lost;
	}
	return all;
}

/* ---- cycles ---- */

struct search {
	struct hb__graph *g;
	uint32_t *from; /* by node: the edge by which it was reached, plus one */
	uint32_t *queue;
};

/* The next edge to a node that cannot go on either; HB_NO: none. */
static uint32_t next_edge(const struct hb__graph *g, uint32_t node, uint32_t *k)
{
	const struct hb__node *n = &g->node[node];
	while (*k < n->n) {
		uint32_t e = n->first + (*k)++, input = g->edge[e].input;
		const struct hb__node *to = &g->node[input];
		bool stuck = !g->free[input] && (to->kind != HB__NODE_LINE || hb__is_stuck(g, to->id)) &&
			     (to->kind != HB__NODE_PROCESS || g->process[to->id] == HB__BLOCKED);
		if (stuck)
			return e;
	}
	return HB_NO;
}

/* A node on some cycle: follow any edge until a node comes again. */
static uint32_t on_cycle(struct search *s, uint32_t node)
{
	memset(s->from, 0, s->g->nodes * sizeof *s->from);
	while (!s->from[node]) {
		uint32_t k = 0, e;
		s->from[node] = 1;
		e = next_edge(s->g, node, &k);
		if (e == HB_NO)
			return HB_NO;
		node = s->g->edge[e].input;
	}
	return node;
}

/* The shortest way from a node to another, or back to itself; false: none. */
static bool way(struct search *s, uint32_t start, uint32_t goal)
{
	uint32_t begin = 0, end = 0;
	memset(s->from, 0, s->g->nodes * sizeof *s->from);
	s->queue[end++] = start;
	while (begin < end) {
		uint32_t node = s->queue[begin++], k = 0, e;
		while ((e = next_edge(s->g, node, &k)) != HB_NO) {
			uint32_t to = s->g->edge[e].input;
			if (s->from[to])
				continue;
			s->from[to] = e + 1;
			if (to == goal)
				return true;
			s->queue[end++] = to;
		}
	}
	return false;
}

/* The lines of the way that was found, in its order. */
static uint32_t steps_of(const struct search *s, uint32_t start, uint32_t goal, struct hb__step *ret)
{
	const struct hb__graph *g = s->g;
	uint32_t n = 0, node = goal;
	do {
		const struct hb__wait_edge *e = &g->edge[s->from[node] - 1];
		node = e->node;
		if (g->node[node].kind == HB__NODE_LINE)
			ret[n++] = (struct hb__step){g->node[node].id, e->need};
	} while (node != start);
	for (uint32_t i = 0; i < n / 2; i++) {
		struct hb__step t = ret[i];
		ret[i] = ret[n - 1 - i];
		ret[n - 1 - i] = t;
	}
	return n;
}

/* Who waits for any of a group is in it, too, and does not wait for itself: another one of the group that waits for it. */
static uint32_t by_another(struct search *s, struct hb__step *ret)
{
	const struct hb__graph *g = s->g;
	uint32_t line = ret[0].line, any = g->need[ret[0].need].node, k = 0, e;
	while ((e = next_edge(g, any, &k)) != HB_NO) {
		const hb_process *p = &hb_model_processes(g->m)[g->edge[e].input];
		for (uint32_t i = 0; i < p->nlines; i++) {
			uint32_t other = p->first_line + i;
			if (other == line || !hb__is_stuck(g, other))
				continue;
			if (way(s, hb__line_node(g, other), hb__line_node(g, line)))
				return 1 + steps_of(s, hb__line_node(g, other), hb__line_node(g, line), ret + 1);
		}
	}
	return 1;
}

/* The shortest of those through a few lines of one cycle; begins with the lowest line. */
static uint32_t shortest(struct search *s, uint32_t node, struct hb__step *ret, struct hb__step *work)
{
	enum { TRIES = 6 };
	uint32_t best = way(s, node, node) ? steps_of(s, node, node, ret) : 0, n = best;
	if (n)
		memcpy(work, ret, n * sizeof *work);
	for (uint32_t i = 0; i < n && i < TRIES && best > 1; i++) {
		uint32_t at = hb__line_node(s->g, work[n > TRIES ? i * n / TRIES : i].line);
		struct hb__step *other = work + n;
		uint32_t length = way(s, at, at) ? steps_of(s, at, at, other) : 0;
		if (length && length < best) {
			best = length;
			memcpy(ret, other, best * sizeof *ret);
		}
	}
	if (best == 1 && s->g->node[s->g->need[ret[0].need].node].kind == HB__NODE_ANY)
		best = by_another(s, ret);
	uint32_t low = 0;
	for (uint32_t i = 1; i < best; i++)
		low = ret[i].line < ret[low].line ? i : low;
	memcpy(work, ret, best * sizeof *work);
	for (uint32_t i = 0; i < best; i++)
		ret[i] = work[(low + i) % best];
	return best;
}

uint32_t hb__cycle(struct hb__graph *g, struct hb__step *ret_steps)
{
	uint32_t lines = hb_model_get_info(g->m)->lines, n = 0;
	struct search s = {g, malloc(g->nodes * sizeof *s.from), malloc((g->nodes + 1) * sizeof *s.queue)};
	struct hb__step *work = malloc((2 * (size_t)lines + 2) * sizeof *work);
	for (uint32_t l = 0; l < lines && !n && s.from && s.queue && work; l++) {
		uint32_t node = hb__is_stuck(g, l) ? on_cycle(&s, hb__line_node(g, l)) : HB_NO;
		if (node != HB_NO)
			n = shortest(&s, node, ret_steps, work);
	}
	g->no_memory |= !s.from || !s.queue || !work;
	free(s.from);
	free(s.queue);
	free(work);
	return n;
}
