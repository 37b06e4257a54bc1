/* What all members have to know of all processes: how many events, sends and receives each has. */
#include "model/part/inside.h"

/* The status of the first member that has one, which is that of the first process, for processes are divided in their order. */
hb_status hb__part_agree(const struct hb__part *p, hb_status status, hb_error *err)
{
	struct {
		hb_status status;
		hb_error err;
	} own = {.status = status}, *all;
	size_t *bytes = calloc(p->team->size, sizeof *bytes);
	if (status && err)
		own.err = *err;
	all = bytes ? p->team->gather(p->team->user, &own, sizeof own, bytes) : NULL;
	for (uint32_t i = 0; all && i < p->team->size && !(status = all[i].status);)
		i++;
	for (uint32_t i = 0; all && err && i < p->team->size; i++)
		if (all[i].status) {
			*err = all[i].err;
			break;
		}
	status = all ? status : hb__no_memory(err);
	free(all);
	free(bytes);
	return status;
}

uint64_t hb__part_sum(const struct hb__part *p, uint64_t value)
{
	size_t *bytes = calloc(p->team->size, sizeof *bytes);
	uint64_t sum = 0, *all = bytes ? p->team->gather(p->team->user, &value, sizeof value, bytes) : NULL;
	for (uint32_t i = 0; all && i < p->team->size; i++)
		sum += all[i];
	free(all);
	free(bytes);
	return sum;
}

struct of_line {
	uint32_t line, events, init;
	bool inside;
};
struct of_process {
	uint32_t process, sends, receives;
};

static uint32_t after(const hb_model *m, uint32_t process, uint32_t of_next, size_t all)
{
	return process + 1 < m->processes.n ? of_next : (uint32_t)all;
}

static bool gather_lines(hb_model *m, struct hb__part *p, size_t *bytes)
{
	VEC(struct of_line) own = {0};
	bool good = true;
	for (uint32_t l = 0; good && l < m->lines.n; l++)
		if (hb__speaks(p, m->lines.at[l].process))
			good = VEC_PUSH(&own, ((struct of_line){l, m->lines.at[l].events, m->line_more.at[l].init,
						      m->lines.at[l].inside}));
	if (!good)
		m->no_memory = true;
	struct of_line *all = p->team->gather(p->team->user, own.at, own.n * sizeof *own.at, bytes);
	free(own.at);
	if (!all)
		return false;
	size_t n = 0;
	for (uint32_t i = 0; i < p->team->size; i++)
		n += bytes[i] / sizeof *all;
	for (size_t i = 0; i < n; i++) {
		m->lines.at[all[i].line].events = all[i].events;
		m->lines.at[all[i].line].inside = all[i].inside;
		m->line_more.at[all[i].line].init = all[i].init;
	}
	free(all);
	return true;
}

static bool gather_processes(hb_model *m, struct hb__part *p, size_t *bytes)
{
	VEC(struct of_process) own = {0};
	bool good = true;
	for (uint32_t i = p->spoken; good && i < p->end; i++) {
		const struct hb__process_more *more = &m->process_more[i];
		uint32_t sends = after(m, i, more[1].first_send, m->sends.n) - more->first_send;
		uint32_t receives = after(m, i, more[1].first_receive, m->receives.n) - more->first_receive;
		good = VEC_PUSH(&own, ((struct of_process){i, sends, receives}));
	}
	if (!good)
		m->no_memory = true;
	struct of_process *all = p->team->gather(p->team->user, own.at, own.n * sizeof *own.at, bytes);
	free(own.at);
	p->places = calloc(m->processes.n + 1, sizeof *p->places);
	if (!all || !p->places) {
		free(all);
		return false;
	}
	size_t n = 0;
	for (uint32_t i = 0; i < p->team->size; i++)
		n += bytes[i] / sizeof *all;
	for (size_t i = 0; i < n; i++) {
		p->places[all[i].process].nsends = all[i].sends;
		p->places[all[i].process].nreceives = all[i].receives;
	}
	free(all);
	for (uint32_t i = 0; i < m->processes.n; i++) {
		p->places[i + 1].sends = p->places[i].sends + p->places[i].nsends;
		p->places[i + 1].receives = p->places[i].receives + p->places[i].nreceives;
	}
	return true;
}

bool hb__part_lines(hb_model *m, struct hb__part *p)
{
	size_t *bytes = calloc(p->team->size, sizeof *bytes);
	bool good = bytes && gather_lines(m, p, bytes) && gather_processes(m, p, bytes);
	free(bytes);
	return good && !m->no_memory;
}
