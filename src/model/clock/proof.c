/* How two events are ordered, and a chain of links that proves it. */
#include "model/clock/past.h"

struct chain {
	hb_link *at;
	size_t n, room;
	bool no_memory;
};

static void add(struct chain *c, hb_link_kind kind, hb_at from, hb_at to, uint32_t id)
{
	if (kind == HB_LINK_PROGRAM && from.event == to.event)
		return;
	if (c->n == c->room && !HB_GROW(c->at, c->room, c->n + 1)) {
		c->no_memory = true;
		return;
	}
	c->at[c->n++] = (hb_link){kind, from, to, id};
}

/* The raise that first brought event `event` of the line into the PAST; NULL: none. */
static const struct hb__raise *raise_of(const struct hb__past_line *l, uint32_t event)
{
	size_t low = 0, high = l->raises.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (l->raises.at[mid].event < event)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->raises.n ? &l->raises.at[low] : NULL;
}

static bool to_enter(const hb_model *m, const struct hb__raise *r)
{
	/* a divided model has no such edges: part/build.c */
	return !m->part && (r->kind == HB_LINK_EDGE || r->kind == HB_LINK_EXIT) &&
	       hb_edge_to_enter(m->edges.at[r->id].kind);
}

/* From the enter of a forward to the exit of b, whose PAST is given. The exit of an event was scanned because a later
 * one of its line had been found before, so each step goes to an earlier raise and it ends. */
static void prove(const struct hb__past *p, hb_at a, hb_at b, struct chain *c)
{
	hb_at here = a;
	bool exit = false;
	while (!c->no_memory) {
		if (here.line == b.line && (exit ? here : hb_entered(p->m, here)).event <= b.event) {
			add(c, HB_LINK_PROGRAM, here, b, 0);
			return;
		}
		uint32_t event = exit ? here.event : hb_entered(p->m, here).event;
		const struct hb__raise *r = raise_of(&p->lines[here.line], event);
		if (exit && r && r->event == event && r->kind != HB_LINK_EXIT)
			r = raise_of(&p->lines[here.line], event + 1);
		if (!r)
			return;
		hb_at enter = {here.line, r->call};
		add(c, HB_LINK_PROGRAM, here, enter, 0);
		add(c, r->kind, enter, r->by, r->id);
		here = r->by;
		exit = r->kind != HB_LINK_START && !to_enter(p->m, r);
	}
}

static hb_status ordered(hb_model *m, hb_at a, hb_at b, bool *ret_yes, struct chain *chain, hb_error *err)
{
	const hb_line *line = &m->lines.at[b.line];
	bool exits = !line->inside || b.event < line->events;
	struct hb__past p;
	hb_status status = hb__past_of(m, b, exits, &p, err);
	*ret_yes = !status && p.lines[a.line].entered >= hb_entered(m, a).event;
	if (*ret_yes && chain)
		prove(&p, a, b, chain);
	hb__past_free(&p);
	return status;
}

/* Whether a's exit is in the PAST of b's enter. */
static hb_status strictly(hb_model *m, hb_at a, hb_at b, bool *ret_yes, hb_error *err)
{
	struct hb__past p;
	*ret_yes = a.line == b.line && a.event < hb_entered(m, b).event;
	if (a.line == b.line)
		return HB_OK;
	hb_status status = hb__past_of(m, b, false, &p, err);
	*ret_yes = !status && (p.lines[a.line].entered > a.event || p.lines[a.line].left >= a.event ||
				      p.lines[a.line].exited >= a.event);
	hb__past_free(&p);
	return status;
}

hb_status hb_order_of(hb_model *m, hb_at a, hb_at b, hb_relation *ret_relation, bool *ret_strict, hb_link **ret_chain,
	size_t *ret_links, hb_error *err)
{
	struct chain chain = {0};
	bool forth = false, back = false;
	*ret_strict = false;
	*ret_chain = NULL;
	*ret_links = 0;
	if (a.line == b.line && a.event == b.event) {
		*ret_relation = HB_SAME;
		return HB_OK;
	}
	hb_status status;
	if (a.line == b.line) {
		/* one inside of which the other was made: each began before the other returned */
		forth = hb_entered(m, a).event <= b.event;
		back = hb_entered(m, b).event <= a.event;
		add(&chain, HB_LINK_PROGRAM, forth ? a : b, forth ? b : a, 0);
		status = HB_OK;
	} else {
		status = ordered(m, a, b, &forth, &chain, err);
		status = status ? status : ordered(m, b, a, &back, forth ? NULL : &chain, err);
	}
	/* Each before the other's end, as in a barrier: they overlap, and neither comes first. */
	*ret_relation = forth && back ? HB_TOGETHER : forth ? HB_BEFORE : back ? HB_AFTER : HB_CONCURRENT;
	if (!status && forth != back)
		status = strictly(m, forth ? a : b, forth ? b : a, ret_strict, err);
	/* of a divided model the first member alone has the raises that a chain is read off */
	if (!status && m->part && !hb__part_share(m, &chain.at, &chain.room, &chain.n))
		chain.no_memory = true;
	if (!status && chain.no_memory)
		status = hb__no_memory(err);
	if (status) {
		free(chain.at);
		return status;
	}
	*ret_chain = chain.at;
	*ret_links = chain.n;
	return HB_OK;
}
