/* A call that makes a world and the beginning of that world order each other: nobody is before he is made, and the call
 * returns when all that it made have called MPI_Init (MPI 4.0, 11.8.2). */
#include "model/match/read.h"

/* Who is in the world that it made is known when all processes are read. */
void hb__on_spawn(struct hb__reading *r)
{
	const hb_event *e = r->event;
	struct hb__member *part = e->row->result || r->inside ? NULL : hb__part(r->m, r->process, e->made);
	struct hb__birth birth = {{r->line, (uint32_t)e->row->number}, r->process, (uint32_t)e->made};
	if (part && !VEC_PUSH(&r->m->births, birth))
		r->m->no_memory = true;
}

static bool add(hb_model *m, hb_edge_kind kind, hb_at from, hb_at to)
{
	return m->edges.n >> 28 ? false : VEC_PUSH(&m->edges, ((hb_edge){from, to, kind}));
}

static bool is_root(const hb_model *m, const struct hb__birth *birth)
{
	const hb_process *p = &m->processes.at[birth->process];
	const hb_bridge *b;
	for (uint32_t i = 0; (b = hb_log_bridge(p->log, i)); i++)
		if (b->comm == birth->comm)
			return b->root == p->rank;
	return false;
}

static bool returned(const hb_model *m, hb_at at)
{
	const hb_line *l = &m->lines.at[at.line];
	return !l->inside || at.event < l->events;
}

bool hb__link_worlds(hb_model *m)
{
	for (size_t i = 0; i < m->births.n; i++) {
		const struct hb__birth *birth = &m->births.at[i];
		const struct hb__member *part = hb__part(m, birth->process, birth->comm);
		const hb_group *g = &m->groups.at[part->group];
		bool root = is_root(m, birth), good = true;
		for (int64_t rank = 0; good && rank < (part->side ? g->size : g->remote_size); rank++) {
			uint32_t made = hb__peer(m, part, rank);
			hb_at init = made == HB_NO ? (hb_at){HB_NO, 0} : m->process_more[made].init;
			if (!init.event || m->processes.at[made].world == m->processes.at[birth->process].world)
				continue;
			good = (!root || !returned(m, init) || add(m, HB_EDGE_MADE, birth->at, init)) &&
			       add(m, HB_EDGE_BEGAN, init, birth->at);
		}
		if (!good)
			return false;
	}
	return true;
}
