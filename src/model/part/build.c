/* Building a divided model: the steps of hb_model_build, with what the members tell each other between them. */
#include <stdio.h>

#include "model/match/read.h"
#include "model/part/inside.h"

static hb_status refuse(hb_error *err, const char *what)
{
	if (err) {
		*err = (hb_error){.status = HB_E_ARGUMENT};
		snprintf(err->message, sizeof err->message, "%s", what);
	}
	return HB_E_ARGUMENT;
}

/* Nobody need read for this: all find the same. */
static hb_status look_at_logs(const hb_model *m, hb_error *err)
{
	for (size_t i = 0; i < m->processes.n; i++) {
		const hb_log *log = m->processes.at[i].log;
		if (log && hb__has_sockets(log))
			return refuse(err, "messages over sockets and pipes are not matched by several processes");
		if (log && hb_log_before(log))
			return refuse(err, "what a ring gave up is not accounted for by several processes");
	}
	return HB_OK;
}

static hb_status look_at_events(const hb_model *m, hb_error *err)
{
	if (m->keyed_sends.n || m->keyed_receives.n)
		return refuse(err, "messages that the program itself tells of are not matched by several processes");
	if (m->births.n)
		return refuse(err,
			"what orders processes that were spawned, or that connected, is not found by several processes");
	if (m->epochs.n || m->epochs_lost || m->turns.n || m->locked.n)
		return refuse(err, "what epochs and locks of windows order is not found by several processes");
	return HB_OK;
}

static hb_status look_at_collectives(const hb_model *m, hb_error *err)
{
	const struct hb__part *p = m->part;
	if (p->differ)
		return refuse(err,
			"processes called different functions, or gave different roots, in one collective: what that orders is not found by several processes");
	for (uint32_t i = 0; i < p->nmeetings; i++) {
		bool scan = p->meetings[i].order == HB_ORDER_SCAN || p->meetings[i].order == HB_ORDER_EXSCAN;
		if (scan && p->meetings[i].enters < m->groups.at[p->meetings[i].group].size)
			return refuse(err,
				"not all processes entered a scan: what that orders is not found by several processes");
	}
	return HB_OK;
}

/* Messages that were received, and that nobody sent. */
static hb_status look_at_channels(const hb_model *m, hb_error *err)
{
	for (size_t i = 0; i < m->channels.n; i++) {
		const hb_channel *c = &m->channels.at[i];
		const hb_process *from = c->source == HB_NO ? NULL : &m->processes.at[c->source];
		if (c->received > c->sent && (!from || (from->log && !from->cut)))
			return refuse(err,
				"messages were received that nobody sent: several processes do not find what follows from that");
	}
	return HB_OK;
}

/* The processes of this member; those of others have no events, sends and receives. */
static hb_status read_own(hb_model *m, hb_error *err)
{
	struct hb__part *p = m->part;
	hb_status status = HB_OK;
	for (uint32_t i = 0; i < m->processes.n; i++) {
		struct hb__process_more *more = &m->process_more[i];
		more->first_send = (uint32_t)m->sends.n;
		more->first_receive = (uint32_t)m->receives.n;
		more->first_probe = (uint32_t)m->probes.n;
		if (i == p->spoken) {
			p->skipped_sends = (uint32_t)m->sends.n;
			p->skipped_receives = (uint32_t)m->receives.n;
			for (size_t k = 0; k < m->collectives.n; k++) /* another member counts them */
				m->collectives.at[k].enters = m->collectives.at[k].exits = 0;
		}
		if (!m->processes.at[i].log)
			continue;
		if (!hb__groups_of_process(m, i))
			return hb__no_memory(err);
		if (!status && i >= p->first && i < p->end)
			status = hb__read_process(m, i, NULL, NULL, err);
	}
	if (p->spoken >= m->processes.n)
		for (size_t k = 0; k < m->collectives.n; k++)
			m->collectives.at[k].enters = m->collectives.at[k].exits = 0;
	if (p->spoken >= p->end) {
		p->skipped_sends = (uint32_t)m->sends.n;
		p->skipped_receives = (uint32_t)m->receives.n;
	}
	return status;
}

/* Edges have numbers of the whole, too. */
static bool number_edges(hb_model *m)
{
	struct hb__part *p = m->part;
	uint32_t n = (uint32_t)m->edges.n;
	size_t *bytes = calloc(p->team->size, sizeof *bytes);
	uint32_t *all = bytes ? p->team->gather(p->team->user, &n, sizeof n, bytes) : NULL;
	for (uint32_t i = 0; all && i < p->team->rank; i++)
		p->edges_before += all[i];
	bool good = all != NULL;
	free(all);
	free(bytes);
	return good;
}

/* What is said of the matches of all. */
static void tell(hb_model *m)
{
	struct hb__part *p = m->part;
	uint64_t ambiguous = 0;
	for (size_t i = 0; i < m->receives.n; i++) {
		const hb_receive *v = &m->receives.at[i];
		ambiguous += v->flags & HB_AMBIGUOUS && v->send != HB_NO && hb__speaks(p, m->lines.at[v->line].process);
	}
	ambiguous = hb__part_sum(p, ambiguous);
	bool orphans = false;
	for (size_t i = 0; i < m->channels.n; i++)
		orphans = orphans || m->channels.at[i].received > m->channels.at[i].sent;
	hb__tell_absent(m, p->absent);
	hb__tell_ambiguous(m, (uint32_t)ambiguous);
	m->info.open = hb__part_sum(p, m->info.open || orphans) != 0;
}

static bool link_all(hb_model *m)
{
	struct hb__part *p = m->part;
	return hb__link_threads(m) && hb__link_windows(m) && number_edges(m) && hb__part_lines(m, p) &&
	       hb__part_collectives(m, p) && hb__part_send_out(m, p) && hb__link(m) && hb__part_fates(m, p) &&
	       hb__sort_chosen(m);
}

static hb_status build(hb_model *m, hb_error *err)
{
	struct hb__part *p = m->part;
	if (!hb__part_divide(m, p) || !hb__reserve(m, p->first, p->end))
		return hb__no_memory(err);
	hb_status status = look_at_logs(m, err);
	if (status)
		return status;
	status = read_own(m, err);
	if (status == HB_E_MEMORY)
		return status;
	status = status ? status : look_at_events(m, err);
	status = hb__part_agree(p, status, err);
	if (status)
		return status;
	if (!link_all(m) || m->no_memory)
		return hb__no_memory(err);
	status = look_at_collectives(m, err);
	status = hb__part_agree(p, status ? status : look_at_channels(m, err), err);
	if (status)
		return status;
	hb__tell_processes(m);
	tell(m);
	hb__count_model(m);
	return m->no_memory ? hb__no_memory(err) : HB_OK;
}

hb_status hb_model_build_part(const hb_source *sources, size_t n, const hb_team *team, hb_model **ret, hb_error *err)
{
	hb_model *m = calloc(1, sizeof *m);
	if (!m || !(m->part = calloc(1, sizeof *m->part))) {
		free(m);
		return hb__no_memory(err);
	}
	m->part->team = team;
	hb_status status = hb__add_processes(m, sources, n, err);
	status = status ? status : build(m, err);
	if (status) {
		hb_model_close(m);
		return status;
	}
	*ret = m;
	return HB_OK;
}

const hb_team *hb_model_team(const hb_model *m) { return m->part ? m->part->team : NULL; }
uint32_t hb_part_send_site(const hb_model *m, uint32_t send) { return m->part->send_site[send]; }

bool hb_model_any(const hb_model *m, bool yes) { return m->part ? hb__part_sum(m->part, yes) != 0 : yes; }

void hb__part_close(hb_model *m)
{
	struct hb__part *p = m->part;
	if (!p)
		return;
	for (size_t i = 0; p->ops && i < m->lines.n; i++)
		free(p->ops[i].at);
	void *const blocks[] = {p->main, p->last, p->weight, p->places, p->own.at, p->ops, p->collective, p->meetings,
		p->fates.at, p->send_number, p->send_site, p};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		free(blocks[i]);
}
