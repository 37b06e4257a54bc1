/* Building the model, and what it answers. */
#include <stdarg.h>
#include <stdio.h>

#include "model/internal.h"

hb_status hb__no_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

bool hb__model_trouble(hb_model *m, const char *format, ...)
{
	va_list list;
	char *text = NULL;
	va_start(list, format);
	bool good = vasprintf(&text, format, list) >= 0 && VEC_PUSH(&m->troubles, text);
	va_end(list);
	m->info.troubles = (uint32_t)m->troubles.n;
	m->no_memory = m->no_memory || !good;
	return good;
}

/* ---- building ---- */

struct build {
	hb_model *m;
	hb_progress *progress;
	void *user;
	uint64_t before, all; /* events */
	double told;
};

static void tick(void *user, uint64_t events)
{
	struct build *b = user;
	double share = b->all ? (double)(b->before + events) / (double)b->all * 0.9 : 0;
	if (b->progress && share >= b->told + 0.01) {
		b->told = share;
		b->progress(b->user, share);
	}
}

static hb_status wrong_level(const hb_source *s, hb_error *err)
{
	hb_process_name name;
	if (err) {
		*err = (hb_error){.status = HB_E_ARGUMENT};
		snprintf(err->message, sizeof err->message,
			"rank %s was recorded without its sends (level order or racing): record the run again at level events",
			s->name ? s->name : hb_process_range(s->world, s->rank, s->rank, name));
	}
	return HB_E_ARGUMENT;
}

static bool add_lines(hb_model *m, uint32_t process)
{
	hb_process *p = &m->processes.at[process];
	p->first_line = (uint32_t)m->lines.n;
	p->nlines = p->log ? hb_log_get_info(p->log)->lanes : 0;
	for (uint32_t i = 0; i < p->nlines; i++) {
		struct hb__line more = {.init = 0};
		if (!VEC_PUSH(&m->lines, ((hb_line){.process = process, .lane = i, .group = HB_NO})) ||
			!VEC_PUSH(&m->line_more, more))
			return false;
	}
	return true;
}

hb_status hb__add_processes(hb_model *m, const hb_source *sources, size_t n, hb_error *err)
{
	m->process_more = calloc(n + 1, sizeof *m->process_more);
	if (!m->process_more)
		return hb__no_memory(err);
	for (size_t i = 0; i < n; i++) {
		const hb_source *s = &sources[i];
		hb_process p = {.log = s->log, .rank = s->rank, .world = s->world};
		const hb_log_info *info = s->log ? hb_log_get_info(s->log) : NULL;
		if (info && info->level != HB_LEVEL_EVENTS)
			return wrong_level(s, err);
		m->no_turns |= info && info->remarks;
		p.ending = info ? (hb_ending)info->state : HB_ENDING_NONE;
		p.cut = info && (info->recovered || info->stopped || info->lost);
		if (!VEC_PUSH(&m->processes, p) || !add_lines(m, (uint32_t)i))
			return hb__no_memory(err);
	}
	if (m->lines.n >> 24)
		return hb__no_memory(err);
	hb_status status = hb__place_worlds(m, err);
	for (uint32_t i = 0; !status && i < m->processes.n; i++)
		m->processes.at[i].name = m->worlds->name[i];
	return status;
}

static hb_status read_all(struct build *b, hb_error *err)
{
	hb_model *m = b->m;
	for (uint32_t i = 0; i < m->processes.n; i++)
		if (m->processes.at[i].log)
			b->all += hb_log_get_info(m->processes.at[i].log)->events;
	if (!hb__reserve(m, 0, (uint32_t)m->processes.n) || !hb__before_groups(m))
		return hb__no_memory(err);
	hb_status planned = hb__plan_sockets(m, err);
	if (planned)
		return planned;
	for (uint32_t i = 0; i < m->processes.n; i++) {
		struct hb__process_more *more = &m->process_more[i];
		more->first_send = (uint32_t)m->sends.n;
		more->first_receive = (uint32_t)m->receives.n;
		more->first_probe = (uint32_t)m->probes.n;
		if (!m->processes.at[i].log)
			continue;
		if (!m->rings && !hb__groups_of_process(m, i))
			return hb__no_memory(err);
		hb_status status = hb__read_process(m, i, tick, b, err);
		if (status)
			return status;
		b->before += hb_log_get_info(m->processes.at[i].log)->events;
	}
	return HB_OK;
}

/* ---- what is missing ---- */

void hb__tell_processes(hb_model *m)
{
	uint32_t alone = 0;
	for (uint32_t i = 0; i < m->processes.n; i++) {
		const hb_process *p = &m->processes.at[i];
		/* without MPI there are only messages of the program itself, which know no world */
		alone += m->world[m->world_of[i]].lone && p->world && hb_log_get_info(p->log)->library;
		if (!p->log)
			hb__model_trouble(m,
				"rank %s is missing: messages from and to it are not known, so order that results from them, and races with them, are not found",
				p->name);
		else if (p->cut)
			hb__model_trouble(m,
				"rank %s has an incomplete log (%s): what it did after event %u is not known, so order that results from later messages, and races with them, are not found",
				p->name,
				hb_log_get_info(p->log)->recovered ? hb_log_get_info(p->log)->trouble
								   : "recording stopped",
				p->nlines ? m->lines.at[p->first_line].events : 0);
	}
	if (alone)
		hb__model_trouble(m,
			"of %u process%s it is not known with which others they were spawned: messages with them are not matched",
			alone, alone == 1 ? "" : "es");
	char text[HB_WORLDS_TEXT];
	for (uint32_t i = 0; hb_worlds_missing(m->worlds, i, text); i++)
		hb__model_trouble(m, "%s", text);
	if (m->info.strange)
		hb__model_trouble(m,
			"%u intercommunicator%s members of other worlds that %s: messages over %s are not matched",
			m->info.strange, m->info.strange == 1 ? " has" : "s have",
			m->info.strange == 1 ? "one of its processes does not know"
					     : "one of their processes does not know",
			m->info.strange == 1 ? "it" : "them");
	m->info.open = m->info.open || m->worlds->by_time || m->info.strange;
}

/* Messages that were received and that nobody sent. */
static void tell_orphans(hb_model *m)
{
	int told = 0;
	for (size_t i = 0; i < m->channels.n; i++) {
		const hb_channel *c = &m->channels.at[i];
		if (c->received <= c->sent)
			continue;
		m->info.open = true;
		if (c->dest == HB_NO)
			continue;
		if (c->source == HB_NO) {
			if (!told++)
				hb__model_trouble(m,
					"rank %s received a message from a process that is not in this recording: the order that results from it is not known",
					m->processes.at[c->dest].name);
			continue;
		}
		hb_process *from = &m->processes.at[c->source];
		if (m->troubles.n > 20 || m->info.strange || m->world[m->world_of[c->source]].lone || !from->log ||
			from->cut)
			continue; /* told already */
		hb__model_trouble(m,
			"rank %s received %u message%s with tag %d from rank %s that rank %s has not sent: the two logs do not belong to the same run, and what connects them is not certain",
			m->processes.at[c->dest].name, c->received - c->sent, c->received - c->sent == 1 ? "" : "s",
			c->tag, m->processes.at[c->source].name, m->processes.at[c->source].name);
	}
}

/* Whether all members are processes of this recording, with or without a log. */
static bool all_here(const hb_group *g)
{
	for (uint32_t i = 0; i < g->size; i++)
		if (g->member[i] == HB_NO)
			return false;
	return true;
}

void hb__tell_absent(hb_model *m, uint64_t absent)
{
	m->info.open = m->info.open || absent;
	if (absent)
		hb__model_trouble(m,
			"%llu collective operations returned at some processes although it was not recorded that all processes entered them: the order that results from those is not found",
			(unsigned long long)absent);
}

void hb__tell_ambiguous(hb_model *m, uint32_t ambiguous)
{
	if (ambiguous)
		hb__model_trouble(m,
			"%u messages may belong to other receives than shown: threads called MPI at the same time, %sor it is not known how an earlier wildcard receive ended",
			ambiguous, m->keyed_groups.n ? "or used the same key of a channel of the program, " : "");
}

static void tell_collectives(hb_model *m)
{
	uint64_t differ = 0, absent = 0;
	for (size_t i = 0; i < m->collectives.n; i++) {
		const hb_collective *c = &m->collectives.at[i];
		const hb_group *g = &m->groups.at[c->group];
		differ += c->differs;
		bool fewer = c->order == HB_ORDER_ALL && c->exits && !g->remote_size && c->enters + c->before < g->size;
		absent += fewer && all_here(g);
	}
	if (differ)
		hb__model_trouble(m,
			"in %llu collective operations the processes called different functions or gave "
			"different roots: the order that follows from them is not certain",
			(unsigned long long)differ);
	m->info.open = m->info.open || differ;
	hb__tell_absent(m, absent);
}

/* What went through sockets and pipes; returns how much of it is ambiguous. */
static uint32_t tell_doubts(hb_model *m)
{
	uint32_t n = 0;
	for (size_t i = 0; m->info.ambiguous && i < m->receives.n; i++) {
		const hb_receive *v = &m->receives.at[i];
		if (v->flags & HB_AMBIGUOUS && v->send != HB_NO)
			n += m->groups.at[m->channels.at[m->sends.at[v->send].channel].group].untagged;
	}
	if (n)
		hb__model_trouble(m,
			"%u messages over sockets and pipes may belong to other receives than shown: datagrams were equal, or calls of several threads or processes that "
			"put something into one stream, or took something out, overlapped in time",
			n);
	return n;
}

static int by_line(const void *a, const void *b)
{
	const hb_at *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* The lanes of a process were read as one. Within a line answers stay as they are: several of one event in the order of its requests. */
bool hb__sort_chosen(hb_model *m)
{
	size_t n = m->chosen.n, *first = calloc(m->lines.n + 2, sizeof *first);
	hb_chosen *sorted = malloc((n + 1) * sizeof *sorted);
	bool good = first && sorted;
	for (size_t i = 0; good && i < n; i++)
		first[m->chosen.at[i].at.line + 2]++;
	for (size_t l = 2; good && l < m->lines.n + 2; l++)
		first[l] += first[l - 1];
	for (size_t i = 0; good && i < n; i++)
		sorted[first[m->chosen.at[i].at.line + 1]++] = m->chosen.at[i];
	if (good && n)
		memcpy(m->chosen.at, sorted, n * sizeof *sorted);
	if (m->timeouts.n)
		qsort(m->timeouts.at, m->timeouts.n, sizeof *m->timeouts.at, by_line);
	free(first);
	free(sorted);
	return good;
}

void hb__count_model(hb_model *m)
{
	m->info.processes = (uint32_t)m->processes.n;
	m->info.lines = (uint32_t)m->lines.n;
	m->info.groups = (uint32_t)m->groups.n;
	m->info.channels = (uint32_t)m->channels.n;
	m->info.specs = (uint32_t)m->specs.n;
	m->info.sends = (uint32_t)m->sends.n;
	m->info.receives = (uint32_t)m->receives.n;
	m->info.probes = (uint32_t)m->probes.n;
	m->info.collectives = (uint32_t)m->collectives.n;
	m->info.chosen = (uint32_t)m->chosen.n;
	m->info.timeouts = (uint32_t)m->timeouts.n;
	m->info.edges = (uint32_t)m->edges.n;
	m->info.outside = (uint32_t)m->outside.n;
	m->info.crossings = (uint32_t)m->crossings.n;
	m->info.refused = (uint32_t)m->refused.n;
	for (size_t i = 0; i < m->lines.n; i++)
		m->info.events += m->lines.at[i].events;
}

static hb_status finish(struct build *b, hb_error *err)
{
	hb_model *m = b->m;
	hb__tell_processes(m);
	if (!hb__link_keyed(m) || !hb__link(m) || !hb__link_worlds(m) || !hb__link_threads(m) || !hb__link_turns(m) ||
		!hb__link_family(m) || !hb__link_before(m) || !hb__link_windows(m) || !hb__sort_chosen(m))
		return hb__no_memory(err);
	hb__close_sockets(m);
	hb__tell_before(m);
	tell_orphans(m);
	tell_collectives(m);
	uint32_t untagged = tell_doubts(m);
	hb__tell_ambiguous(m, m->info.ambiguous > untagged ? m->info.ambiguous - untagged : 0);
	hb__count_model(m);
	return m->no_memory ? hb__no_memory(err) : HB_OK;
}

hb_status hb_model_build(
	const hb_source *sources, size_t n, hb_progress *progress, void *user, hb_model **ret, hb_error *err)
{
	struct build b = {.m = calloc(1, sizeof *b.m), .progress = progress, .user = user};
	if (!b.m)
		return hb__no_memory(err);
	hb_status status = hb__add_processes(b.m, sources, n, err);
	status = status ? status : read_all(&b, err);
	status = status ? status : finish(&b, err);
	if (status) {
		hb_model_close(b.m);
		return status;
	}
	if (progress)
		progress(user, 1);
	*ret = b.m;
	return HB_OK;
}

void hb_model_close(hb_model *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->process_more && i < m->processes.n; i++) {
		for (size_t k = 0; k < m->process_more[i].parts.n; k++)
			free(m->process_more[i].parts.at[k].enters.at);
		free(m->process_more[i].parts.at);
	}
	for (size_t i = 0; i < m->line_more.n; i++) {
		free(m->line_more.at[i].ops.at);
		free(m->line_more.at[i].sent.at);
		free(m->line_more.at[i].around.at);
		free(m->line_more.at[i].by_first);
		free(m->line_more.at[i].operations.at);
	}
	for (size_t i = 0; i < m->groups.n; i++) {
		free((void *)m->groups.at[i].member);
		free((void *)m->groups.at[i].remote);
		free(m->groups.at[i].title);
	}
	for (size_t i = 0; i < m->group_more.n; i++) {
		free(m->group_more.at[i].collectives.at);
		free(m->group_more.at[i].known_as);
	}
	for (size_t i = 0; i < m->troubles.n; i++)
		free(m->troubles.at[i]);
	for (size_t i = 0; i < m->outside.n; i++)
		free((void *)m->outside.at[i].name);
	hb__close_sockets(m);
	void *const blocks[] = {m->processes.at, m->process_more, m->lines.at, m->line_more.at, m->groups.at,
		m->group_more.at, m->channels.at, m->specs.at, m->sends.at, m->receives.at, m->probes.at,
		m->probe_after.at, m->collectives.at, m->collective_kind.at, m->odd_at.at, m->chosen.at, m->timeouts.at,
		m->troubles.at, m->pending.at, m->births.at, m->epochs.at, m->fetched.at, m->exposed.at, m->locked.at,
		m->freed.at, m->turns.at, m->edges.at, m->born_lines.at, m->outside.at, m->crossings.at, m->refused.at,
		m->channel_of.at, m->group_of.at, m->odd_collective.at, m->odd_enters.at, m->big.at, m->elsewhere.at,
		m->keyed_sends.at, m->keyed_receives.at, m->keyed_groups.at, m->keys.at, m->key_of.at, m->big_bytes.at,
		m->elsewhere_at.at, m->send_sites.at, m->channel_first, m->channel_sends, m->seen_more, m->before.at,
		m->before_of.at, m->owed, m->group_base};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		free(blocks[i]);
	hb__part_close(m);
	hb__close_worlds(m);
	free(m);
}

/* ---- answers ---- */

const hb_model_info *hb_model_get_info(const hb_model *m) { return &m->info; }
const hb_process *hb_model_processes(const hb_model *m) { return m->processes.at; }
void hb_model_asleep(hb_model *m, uint32_t line, uint32_t joins)
{
	m->lines.at[line].asleep = !m->lines.at[line].inside;
	m->lines.at[line].joins = joins;
}
const hb_line *hb_model_lines(const hb_model *m) { return m->lines.at; }
const hb_group *hb_model_groups(const hb_model *m) { return m->groups.at; }
const char *hb_model_group_title(const hb_model *m, uint32_t group)
{
	const hb_group *g = &m->groups.at[group];
	return g->title ? g->title : g->name;
}
const char *hb_model_group_name(const hb_model *m, uint32_t group)
{
	const hb_group *g = &m->groups.at[group];
	return g->untagged ? g->title : g->name;
}
const hb_channel *hb_model_channels(const hb_model *m) { return m->channels.at; }
const hb_spec *hb_model_specs(const hb_model *m) { return m->specs.at; }
const hb_send *hb_model_sends(const hb_model *m) { return m->sends.at; }
const hb_receive *hb_model_receives(const hb_model *m) { return m->receives.at; }
const hb_probe *hb_model_probes(const hb_model *m) { return m->probes.at; }
const hb_collective *hb_model_collectives(const hb_model *m) { return m->collectives.at; }
const hb_chosen *hb_model_chosen(const hb_model *m) { return m->chosen.at; }
const hb_at *hb_model_timeouts(const hb_model *m) { return m->timeouts.at; }
const hb_edge *hb_model_edges(const hb_model *m) { return m->edges.at; }
const hb_outside *hb_model_outside(const hb_model *m) { return m->outside.at; }
const hb_refused *hb_model_refused(const hb_model *m) { return m->refused.at; }
const hb_crossing *hb_model_crossings(const hb_model *m) { return m->crossings.at; }

const hb_crossing *hb_model_crossings_at(const hb_model *m, hb_at at, uint32_t *ret_n)
{
	const hb_crossing *all = m->crossings.at;
	size_t low = 0, high = m->crossings.n, n = 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (all[mid].at.line < at.line || (all[mid].at.line == at.line && all[mid].at.event < at.event))
			low = mid + 1;
		else
			high = mid;
	}
	while (low + n < m->crossings.n && all[low + n].at.line == at.line && all[low + n].at.event == at.event)
		n++;
	*ret_n = (uint32_t)n;
	return n ? all + low : NULL;
}

const hb_op *hb_model_ops(const hb_model *m, uint32_t line, uint64_t *ret_n)
{
	*ret_n = m->line_more.at[line].ops.n;
	return m->line_more.at[line].ops.at;
}

const char *hb_model_trouble(const hb_model *m, uint32_t index)
{
	return index < m->troubles.n ? m->troubles.at[index] : NULL;
}

const uint32_t *hb_model_channel_sends(const hb_model *m, uint32_t channel, uint32_t *ret_n)
{
	*ret_n = m->channel_first[channel + 1] - m->channel_first[channel];
	return m->channel_sends + m->channel_first[channel];
}

uint32_t hb_probe_after(const hb_model *m, uint32_t probe) { return m->probe_after.at[probe]; }

uint64_t hb_send_bytes(const hb_model *m, uint32_t send)
{
	const hb_send *s = &m->sends.at[send];
	uint32_t at = s->flags & HB_BIG ? hb__look(&m->big, (struct hb__key){send, 0}) : HB_NO;
	return at == HB_NO ? s->bytes : m->big_bytes.at[at];
}

hb_at hb_send_at(const hb_model *m, uint32_t send) { return (hb_at){m->sends.at[send].line, m->sends.at[send].event}; }

hb_at hb_entered(const hb_model *m, hb_at at)
{
	const struct hb__line *l = at.line == HB_NO ? NULL : &m->line_more.at[at.line];
	size_t low = 0, high = l ? l->around.n : 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (l->around.at[mid].event < at.event)
			low = mid + 1;
		else
			high = mid;
	}
	if (l && low < l->around.n && l->around.at[low].event == at.event)
		at.event = l->around.at[low].first;
	return at;
}

hb_at hb_receive_post(const hb_model *m, uint32_t receive)
{
	return (hb_at){m->receives.at[receive].line, m->receives.at[receive].post};
}

hb_at hb_receive_done(const hb_model *m, uint32_t receive)
{
	const hb_receive *v = &m->receives.at[receive];
	uint32_t at = v->flags & HB_ELSEWHERE ? hb__look(&m->elsewhere, (struct hb__key){receive, 0}) : HB_NO;
	return at == HB_NO ? (hb_at){v->line, v->done} : m->elsewhere_at.at[at];
}

hb_at hb_collective_enter(const hb_model *m, uint32_t id, uint32_t process)
{
	const hb_at none = {HB_NO, 0};
	const hb_collective *c = &m->collectives.at[id];
	if (m->collective_kind.at[id] != HB__REGULAR) {
		uint32_t at = hb__look(&m->odd_enters, (struct hb__key){id, process});
		return at == HB_NO ? none : m->odd_at.at[at];
	}
	const struct hb__process_more *more = &m->process_more[process];
	for (size_t i = 0; i < more->parts.n; i++)
		if (more->parts.at[i].group == c->group)
			return c->number < more->parts.at[i].enters.n ? more->parts.at[i].enters.at[c->number] : none;
	return none;
}

uint32_t hb_collective_at(const hb_model *m, hb_at at)
{
	if (at.line == HB_NO)
		return HB_NO;
	const struct hb__line *l = &m->line_more.at[at.line];
	size_t from = 0, to = l->ops.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (l->ops.at[middle].event < at.event)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < l->ops.n && l->ops.at[from].event == at.event; from++)
		if (l->ops.at[from].kind == HB_OP_ENTER)
			return l->ops.at[from].id;
	return HB_NO;
}
