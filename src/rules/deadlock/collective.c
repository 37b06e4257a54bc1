/* Who is missing from a collective. */
#include "base/grow.h"
#include "rules/deadlock/wait.h"

/* The call of a process that is its part in a collective: function and root. */
struct part {
	const hb_meaning *means;
	char call[40]; /* the name of the function, with int counts */
	int64_t root;
};

static struct part call_of(const hb_event *e)
{
	struct part p = {.means = e->means, .root = hb_event_argument(e, "root")};
	if (e->function && e->function->name)
		strncpy(p.call, e->means->plain == UINT16_MAX ? e->function->name : hb_meanings[e->means->plain].name,
			sizeof p.call - 1);
	return p;
}

static struct part part_at(const struct hb__graph *g, hb_at at)
{
	struct part p = {.root = HB_ABSENT};
	const hb_line *line = &hb_model_lines(g->m)[at.line];
	hb_events *events;
	hb_event e;
	hb_log *log = hb_model_processes(g->m)[line->process].log;
	if (hb_events_open_at(log, line->lane, at.event, &events, NULL))
		return p;
	if (hb_events_next(events, &e, NULL) == 1 || hb_events_inside(events, &e) == 1)
		p = call_of(&e);
	hb_events_close(events);
	return p;
}

/* The same function; a start does not say which it starts. */
static bool same(const struct part *a, const struct part *b)
{
	bool roots = a->root == b->root || a->root == HB_ABSENT || b->root == HB_ABSENT || a->root < 0 || b->root < 0;
	bool starts = !*a->call || !*b->call || a->means->does == HB_DOES_START || b->means->does == HB_DOES_START;
	return roots && (starts || !strcmp(a->call, b->call));
}

static void missing_side(
	struct hb__graph *g, uint32_t id, uint32_t node, const struct part *mine, const uint32_t *member, uint32_t n)
{
	const hb_collective *c = &hb_model_collectives(g->m)[id];
	uint32_t group = c->group;
	for (uint32_t i = 0; i < n; i++) {
		if (hb__unknown(g, group, member[i])) {
			g->node[node].id = HB_NO; /* it may come any time */
			continue;
		}
		hb_at at = hb_collective_enter(g->m, id, member[i]);
		bool there = at.line != HB_NO;
		if (there && (c->differs || g->hanging)) { /* a blocking call does not match a nonblocking one */
			struct part other = part_at(g, at);
			there = same(mine, &other);
		}
		if (there)
			continue;
		g->node[node].needs++;
		hb__edge_new(g, node, member[i], HB_NO);
	}
}

/* Once for each collective, and for each different call in its place. */
static uint32_t parts_node(struct hb__graph *g, uint32_t id, const struct part *mine)
{
	const hb_collective *c = &hb_model_collectives(g->m)[id];
	const hb_group *group = &hb_model_groups(g->m)[c->group];
	for (size_t i = g->nparts; i-- > 0;) {
		const struct hb__collective_node *p = &g->parts[i];
		if (p->collective == id &&
			((!c->differs && !g->hanging) || (p->root == mine->root && !strcmp(p->call, mine->call))))
			return p->node;
	}
	if (!HB_GROW(g->parts, g->parts_room, g->nparts + 1)) {
		g->no_memory = true;
		return HB_NO;
	}
	uint32_t node = hb__node_new(g, HB__NODE_PARTS, id, 0);
	missing_side(g, id, node, mine, group->member, group->size);
	missing_side(g, id, node, mine, group->remote, group->remote_size);
	if (g->node[node].id == HB_NO || !g->node[node].needs) {
		g->node[node].needs = 0;
		node = HB_NO;
	}
	struct hb__collective_node p = {.collective = id, .node = node, .root = mine->root};
	memcpy(p.call, mine->call, sizeof p.call);
	g->parts[g->nparts++] = p;
	return node;
}

static bool entered(const struct hb__graph *g, uint32_t id, uint32_t process)
{
	return hb_collective_enter(g->m, id, process).line != HB_NO;
}

/* What the process needs at least; true: that is known, and what it needs has been added (or nothing). */
static bool at_least(struct hb__graph *g, struct hb__wait *w, uint32_t id, int64_t bytes)
{
	enum { SMALL = 4096 }; /* bytes that a library passes on without waiting */
	const hb_collective *c = &hb_model_collectives(g->m)[id];
	const hb_group *group = &hb_model_groups(g->m)[c->group];
	struct hb__need need = {HB__WANT_COLLECTIVE, id, HB_NO, HB_NO, c->group, 0};
	bool root = c->root == w->process;
	if (g->hanging || c->differs || group->remote_size || c->order == HB_ORDER_ALL)
		return false;
	if (c->order == HB_ORDER_OUT && !root && c->root != HB_NO) {
		need.peer = need.node = c->root;
		if (!entered(g, id, c->root) && !hb__unknown(g, c->group, c->root))
			hb__need(g, w, need);
		return true;
	}
	if (c->order == HB_ORDER_OUT || (c->order == HB_ORDER_IN && !root))
		return bytes >= 0 && bytes <= SMALL;
	if (c->order != HB_ORDER_SCAN && c->order != HB_ORDER_EXSCAN)
		return c->order == HB_ORDER_NONE;
	for (uint32_t i = 0; i < group->size && group->member[i] != w->process; i++) {
		need.peer = need.node = group->member[i];
		if (!hb__unknown(g, c->group, need.peer) && !entered(g, id, need.peer))
			hb__need(g, w, need);
	}
	return true;
}

static bool neighbours(const hb_event *e)
{
	return e->function && e->function->name && strcasestr(e->function->name, "neighbor");
}

bool hb__need_collective(struct hb__graph *g, struct hb__wait *w, uint32_t id, const hb_event *e)
{
	const hb_collective *c = &hb_model_collectives(g->m)[id];
	uint32_t before = w->n;
	if (at_least(g, w, id, e->bytes))
		return w->n > before;
	struct part mine = call_of(e);
	hb_at at = hb_collective_enter(g->m, id, w->process);
	if (at.line != HB_NO && (at.line != w->line || at.event != hb_model_lines(g->m)[w->line].events))
		mine = part_at(g, at); /* a nonblocking one, waited for now */
	uint32_t node = parts_node(g, id, &mine);
	if (node == HB_NO)
		return false;
	struct hb__need need = {HB__WANT_COLLECTIVE, id, node, HB_NO, c->group, 0};
	if (neighbours(e)) /* which of the group are its neighbours is not recorded: any may be enough */
		need.node = hb__any_node(g, c->group, true);
	hb__need(g, w, need);
	return true;
}
