/* The graph itself: making it, and its reduction. */
#include "base/grow.h"
#include "rules/deadlock/wait.h"

static hb_status no_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

static bool has_room(struct hb__graph *g, bool grown)
{
	g->no_memory |= !grown;
	return grown;
}

void hb__need(struct hb__graph *g, struct hb__wait *w, struct hb__need need)
{
	if (!has_room(g, HB_GROW(g->need, g->needs_room, g->needs + 1)))
		return;
	if (!w->n)
		w->need = (uint32_t)g->needs;
	w->n++;
	g->need[g->needs++] = need;
}

uint32_t hb__node_new(struct hb__graph *g, uint32_t kind, uint32_t id, uint32_t needs)
{
	if (!has_room(g, HB_GROW(g->node, g->nodes_room, g->nodes + 1)))
		return 0;
	g->node[g->nodes] = (struct hb__node){kind, id, needs, 0, 0, 0};
	return (uint32_t)g->nodes++;
}

void hb__edge_new(struct hb__graph *g, uint32_t node, uint32_t input, uint32_t need)
{
	if (has_room(g, HB_GROW(g->edge, g->edges_room, g->edges + 1)))
		g->edge[g->edges++] = (struct hb__wait_edge){node, input, need};
}

/* Adds those who were made by members, directly or not: they may have what the members have. */
static uint32_t *with_heirs(const struct hb__graph *g, const hb_group *of, uint32_t *ret_n)
{
	const hb_model_info *info = hb_model_get_info(g->m);
	const hb_edge *edge = hb_model_edges(g->m);
	const hb_line *lines = hb_model_lines(g->m);
	uint32_t *list = malloc(((size_t)info->processes + 1) * sizeof *list), n = 0;
	bool *has = calloc((size_t)info->processes + 1, sizeof *has);
	for (uint32_t i = 0; list && has && i < of->size; i++)
		has[of->member[i]] = true;
	for (bool more = list && has; more;) {
		more = false;
		for (uint32_t i = 0; i < info->edges; i++) {
			uint32_t to = lines[edge[i].to.line].process;
			bool heir = edge[i].kind == HB_EDGE_FORKED || edge[i].kind == HB_EDGE_EXECED;
			if (heir && !has[to] && has[lines[edge[i].from.line].process])
				more = has[to] = true;
		}
	}
	for (uint32_t p = 0; list && has && p < info->processes; p++)
		if (has[p])
			list[n++] = p;
	free(has);
	*ret_n = n;
	return list;
}

/* Whoever has a stream. */
static void add_peers(struct hb__graph *g, uint32_t node, const hb_group *of)
{
	uint32_t n, *list = with_heirs(g, of, &n);
	g->no_memory |= !list;
	g->node[node].needs = of->open ? 0 : 1;
	for (uint32_t i = 0; i < n && list; i++)
		hb__edge_new(g, node, list[i], HB_NO);
	free(list);
}

/* Any of a group. One of whom it is not known what it does in it can do anything. */
uint32_t hb__any_node(struct hb__graph *g, uint32_t group, bool members)
{
	uint32_t *known = &g->any_node[2 * (size_t)group + !members];
	if (*known)
		return *known;
	const hb_group *of = &hb_model_groups(g->m)[group];
	const uint32_t *member = members ? of->member : of->remote;
	uint32_t n = members ? of->size : of->remote_size;
	*known = hb__node_new(g, HB__NODE_ANY, group, 1);
	if (of->untagged)
		add_peers(g, *known, of);
	for (uint32_t i = 0; i < n && !of->untagged; i++)
		if (hb__unknown(g, group, member[i]))
			g->node[*known].needs = 0;
		else
			hb__edge_new(g, *known, member[i], HB_NO);
	return *known;
}

/* ---- lines and processes ---- */

bool hb__has_state(const struct hb__graph *g, uint32_t line)
{
	const struct hb__wait *w = &g->wait[line];
	if (w->done || !w->n)
		return false;
	return w->state == HB__BLOCKED || (g->soft && (w->state == HB__POLLS || w->state == HB__UNSURE));
}

bool hb__is_stuck(const struct hb__graph *g, uint32_t line)
{
	return hb__has_state(g, line) && !g->free[hb__line_node(g, line)] && !g->forced[line];
}

static void set_needs(struct hb__graph *g, bool dead)
{
	const hb_model_info *info = hb_model_get_info(g->m);
	for (uint32_t p = 0; p < info->processes; p++) {
		hb__state s = g->process[p];
		g->node[p].needs = s == HB__OVER ? HB_NO : s == HB__DEAD ? (dead ? 0 : HB_NO) : s == HB__RUNS ? 0 : 1;
	}
	for (uint32_t l = 0; l < info->lines; l++) {
		const struct hb__wait *w = &g->wait[l];
		bool counts = hb__has_state(g, l) && !g->forced[l];
		g->node[hb__line_node(g, l)].needs = w->over ? HB_NO : !counts ? 0 : w->any ? 1 : w->n;
	}
}

static int by_node(const void *a, const void *b)
{
	const struct hb__wait_edge *x = a, *y = b;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->need != y->need)
		return x->need < y->need ? -1 : 1;
	return (x->input > y->input) - (x->input < y->input);
}

static bool index_edges(struct hb__graph *g)
{
	if (g->edges)
		qsort(g->edge, g->edges, sizeof *g->edge, by_node);
	g->out_first = calloc(g->nodes + 2, sizeof *g->out_first);
	g->out = malloc((g->edges + 1) * sizeof *g->out);
	g->free = calloc(g->nodes + 1, sizeof *g->free);
	g->queue = malloc((g->nodes + 1) * sizeof *g->queue);
	if (!g->out_first || !g->out || !g->free || !g->queue)
		return false;
	for (size_t e = 0; e < g->edges; e++) {
		struct hb__node *n = &g->node[g->edge[e].node];
		if (!n->n++)
			n->first = (uint32_t)e;
		g->out_first[g->edge[e].input + 2]++;
	}
	for (size_t i = 2; i < g->nodes + 2; i++)
		g->out_first[i] += g->out_first[i - 1];
	for (size_t e = 0; e < g->edges; e++)
		g->out[g->out_first[g->edge[e].input + 1]++] = (uint32_t)e;
	return true;
}

void hb__reduce(struct hb__graph *g, bool dead)
{
	uint32_t begin = 0, end = 0;
	set_needs(g, dead);
	memset(g->free, 0, g->nodes);
	for (uint32_t i = 0; i < g->nodes; i++) {
		g->node[i].left = g->node[i].needs;
		if (!g->node[i].left)
			g->free[g->queue[end++] = i] = true;
	}
	while (begin < end) {
		uint32_t i = g->queue[begin++];
		for (uint32_t k = g->out_first[i]; k < g->out_first[i + 1]; k++) {
			uint32_t to = g->edge[g->out[k]].node;
			struct hb__node *n = &g->node[to];
			if (g->free[to] || n->left == HB_NO || --n->left)
				continue;
			g->free[g->queue[end++] = to] = true;
		}
	}
}

hb_status hb__graph_make(hb_model *m, bool hanging, hb_case *c, struct hb__graph **ret, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(m);
	struct hb__graph *g = calloc(1, sizeof *g);
	if (!g)
		return no_memory(err);
	g->m = m;
	g->c = c;
	g->hanging = hanging;
	g->wait = calloc((size_t)info->lines + 1, sizeof *g->wait);
	g->process = calloc((size_t)info->processes + 1, sizeof *g->process);
	g->forced = calloc((size_t)info->lines + 1, 1);
	g->any_node = calloc(2 * ((size_t)info->groups + 1), sizeof *g->any_node);
	bool good = g->wait && g->process && g->forced && g->any_node && hb__tail(g);
	for (uint32_t p = 0; p < info->processes && good; p++)
		hb__node_new(g, HB__NODE_PROCESS, p, 1);
	for (uint32_t l = 0; l < info->lines && good; l++) {
		hb__node_new(g, HB__NODE_LINE, l, 0);
		hb__edge_new(g, hb_model_lines(m)[l].process, hb__line_node(g, l), HB_NO);
	}
	good = good && !g->no_memory && hb__read_waits(g, err);
	for (uint32_t l = 0; l < info->lines && good; l++)
		for (uint32_t i = 0; i < g->wait[l].n; i++)
			hb__edge_new(g, hb__line_node(g, l), g->need[g->wait[l].need + i].node, g->wait[l].need + i);
	if (!good || g->no_memory || !index_edges(g)) {
		hb__graph_free(g);
		return no_memory(err);
	}
	hb__reduce(g, true);
	*ret = g;
	return HB_OK;
}

void hb__graph_free(struct hb__graph *g)
{
	if (!g)
		return;
	void *const blocks[] = {g->wait, g->process, g->need, g->node, g->edge, g->out_first, g->out, g->free,
		g->forced, g->queue, g->any_node, g->parts, g->sent, g->got, g->in_first, g->in, g->open_first, g->open,
		g};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		free(blocks[i]);
}

hb_status hb_deadlocked(hb_model *m, hb_stuck *ret, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(m);
	struct hb__graph *g;
	hb_status status = hb__graph_make(m, true, NULL, &g, err);
	if (status)
		return status;
	bool stuck = false, goes = false, runs = false;
	for (uint32_t l = 0; l < info->lines; l++) {
		const struct hb__wait *w = &g->wait[l];
		bool over = w->over || g->process[w->process] == HB__OVER || g->process[w->process] == HB__DEAD;
		stuck |= hb__is_stuck(g, l);
		goes |= !over && !hb__is_stuck(g, l);
		runs |= !over && w->state == HB__RUNS;
	}
	for (uint32_t p = 0; p < info->processes; p++)
		runs |= !hb_model_processes(m)[p].log;
	*ret = stuck ? (goes || runs ? HB_STUCK_SOME : HB_STUCK_ALL) : runs ? HB_STUCK_NOT : HB_STUCK_UNKNOWN;
	hb__graph_free(g);
	return HB_OK;
}
