/* The worlds in the model: which process has which rank of which world. */
#include "model/internal.h"

/* Each run of sources with one number. */
static bool count_worlds(hb_model *m)
{
	uint32_t at = 0;
	m->world = calloc(m->processes.n + 1, sizeof *m->world);
	m->world_of = calloc(m->processes.n + 1, sizeof *m->world_of);
	if (!m->world || !m->world_of)
		return false;
	for (uint32_t i = 0; i < m->processes.n; i++) {
		const hb_process *p = &m->processes.at[i];
		for (at = 0; at < m->nworlds && m->world[at].number != p->world; at++)
			;
		if (at == m->nworlds)
			m->world[m->nworlds++].number = p->world;
		m->world_of[i] = at;
		uint32_t ranks = p->rank < 0 ? 0 : (uint32_t)p->rank + 1;
		const hb_log_info *info = p->log ? hb_log_get_info(p->log) : NULL;
		if (info && (uint32_t)info->size > ranks && (!p->world || info->size < 1 << 24) && info->size > 0)
			ranks = (uint32_t)info->size;
		if (ranks > m->world[at].ranks)
			m->world[at].ranks = ranks;
	}
	return true;
}

hb_status hb__place_worlds(hb_model *m, hb_error *err)
{
	size_t all = 0, n = m->processes.n;
	if (!count_worlds(m))
		return hb__no_memory(err);
	for (uint32_t i = 0; i < m->nworlds; i++) {
		m->world[i].first = (uint32_t)all;
		all += m->world[i].ranks;
	}
	hb_log_named *logs = calloc(n + 1, sizeof *logs);
	m->worlds = calloc(1, sizeof *m->worlds);
	m->rank_process = malloc((all + 1) * sizeof *m->rank_process);
	bool good = logs && m->worlds && m->rank_process && all < UINT32_MAX;
	if (m->rank_process)
		memset(m->rank_process, 0xff, (all + 1) * sizeof *m->rank_process);
	for (uint32_t i = 0; good && i < n; i++) {
		const hb_process *p = &m->processes.at[i];
		logs[i] = (hb_log_named){p->log, p->rank, p->world};
		if (p->rank >= 0)
			m->rank_process[m->world[m->world_of[i]].first + (uint32_t)p->rank] = i;
	}
	good = good && hb_worlds_find(logs, n, m->worlds);
	for (uint32_t i = 0; good && i < n; i++)
		m->world[m->world_of[i]].lone |= m->processes.at[i].log && m->worlds->world[m->worlds->of[i]].lone;
	free(logs);
	return good ? HB_OK : hb__no_memory(err);
}

void hb__close_worlds(hb_model *m)
{
	if (m->worlds)
		hb_worlds_free(m->worlds, m->processes.n);
	free(m->worlds);
	free(m->world);
	free(m->world_of);
	free(m->rank_process);
}

/* Place of its world in the model, and its rank there; HB_NO: not known. */
static hb_named_process who(const hb_model *m, uint32_t process, int64_t member)
{
	if (member >= 0)
		return (hb_named_process){m->world_of[process], (int32_t)member};
	hb_named_process p = hb_worlds_member(m->worlds, process, member);
	if (p.world != HB_NO)
		p.world = m->world_of[m->worlds->world[p.world].log];
	return p;
}

uint32_t hb__process_called(const hb_model *m, uint32_t process, int64_t member)
{
	hb_named_process p = who(m, process, member);
	bool known = p.world != HB_NO && (uint32_t)p.rank < m->world[p.world].ranks;
	return known ? m->rank_process[m->world[p.world].first + (uint32_t)p.rank] : HB_NO;
}

int64_t hb__name_of(const hb_model *m, uint32_t process, int64_t member)
{
	hb_named_process p = who(m, process, member);
	return p.world == HB_NO ? -1 : (int64_t)p.world << 32 | p.rank;
}
