/* A call that makes a world and the beginning of that world order each other: nobody is before he is made, and the call
 * returns when all that it made have called MPI_Init (MPI 4.0, 11.8.2). So do the calls by which two sides meet: who
 * connected knows the other side's group, which its root tells when it is there, and the other way round (11.9). */
#include "model/match/read.h"

/* Who is on the other side is known when all processes are read. */
void hb__on_bridge(struct hb__reading *r)
{
	const hb_event *e = r->event;
	struct hb__member *part = e->row->result || r->inside ? NULL : hb__part(r->m, r->process, e->made);
	const hb_way *way = part ? hb_worlds_way(r->m->worlds, r->process, (uint32_t)e->made) : NULL;
	struct hb__birth birth = {{r->line, (uint32_t)e->row->number}, r->process, (uint32_t)e->made, way};
	if (way && !VEC_PUSH(&r->m->births, birth))
		r->m->no_memory = true;
}

static bool add(hb_model *m, hb_edge_kind kind, hb_at from, hb_at to)
{
	return m->edges.n >> 28 ? false : VEC_PUSH(&m->edges, ((hb_edge){from, to, kind}));
}

static bool returned(const hb_model *m, hb_at at)
{
	const hb_line *l = &m->lines.at[at.line];
	return !l->inside || at.event < l->events;
}

/* Makers and those whom they made. */
static bool link_made(hb_model *m, const struct hb__birth *birth)
{
	const struct hb__member *part = hb__part(m, birth->process, birth->comm);
	const hb_group *g = &m->groups.at[part->group];
	bool good = true;
	for (int64_t rank = 0; good && rank < (part->side ? g->size : g->remote_size); rank++) {
		uint32_t made = hb__peer(m, part, rank);
		hb_at init = made == HB_NO ? (hb_at){HB_NO, 0} : m->process_more[made].init;
		if (!init.event || m->processes.at[made].world == m->processes.at[birth->process].world)
			continue;
		good = (!birth->way->root || !returned(m, init) || add(m, HB_EDGE_MADE, birth->at, init)) &&
		       add(m, HB_EDGE_BEGAN, init, birth->at);
	}
	return good;
}

static int by_crossing(const void *a, const void *b)
{
	const struct hb__birth *x = a, *y = b;
	return (x->way->crossing > y->way->crossing) - (x->way->crossing < y->way->crossing);
}

/* Those of one crossing, which stand together: the root of each side and all of the other side. */
static bool link_met(hb_model *m, const struct hb__birth *from, const struct hb__birth *to)
{
	for (const struct hb__birth *root = from; root < to; root++)
		for (const struct hb__birth *other = from; root->way->root && other < to; other++)
			if (other->way->caller != root->way->caller && !add(m, HB_EDGE_MET, root->at, other->at))
				return false;
	return true;
}

bool hb__link_worlds(hb_model *m)
{
	bool good = true;
	struct hb__birth *all = m->births.at, *end = all + m->births.n, *next;
	if (m->births.n)
		qsort(all, m->births.n, sizeof *all, by_crossing);
	for (struct hb__birth *b = all; good && b < end; b = next) {
		for (next = b + 1; next < end && next->way->crossing == b->way->crossing; next++)
			;
		if (b->way->crossing != HB_NO && b->way->kind != HB_BRIDGE_SPAWNED)
			good = link_met(m, b, next);
		for (; good && b < next && b->way->kind == HB_BRIDGE_SPAWNED; b++)
			good = link_made(m, b);
	}
	return good;
}
