/* Who reads which process. The processes stand one after the other, each as long as it is expensive by the counts of calls in its log, and
 * every member has an equal length of that. A process belongs to whom its middle belongs to; one whose receives alone are worth more than half of
 * a member's work (the master of a task farm) is read by all to whom a piece of it belongs, and each looks at a part of its receives. */
#include "model/part/inside.h"

/* Nanoseconds, as measured: an event is read and matched; a receive is looked at, and a message of each other process at it. */
#define OF_EVENT 150u
#define OF_RECEIVE 50u
#define OF_ALTERNATIVE 8u

static uint64_t receives_of(const hb_log *log)
{
	const hb_log_info *info = hb_log_get_info(log);
	uint64_t n = 0;
	for (uint32_t i = 0; i < info->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (!f || !f->name || !f->calls)
			continue;
		uint8_t does = hb_meaning_of(f->name, f->cls)->does;
		if (does == HB_DOES_RECEIVE || does == HB_DOES_MATCHED_PROBE || does == HB_DOES_PROBE)
			n += f->calls < info->events ? f->calls : info->events;
	}
	return n;
}

static uint64_t racing_weight(const hb_model *m, uint32_t process)
{
	const hb_log *log = m->processes.at[process].log;
	return log ? receives_of(log) * (OF_RECEIVE + OF_ALTERNATIVE * (uint64_t)m->processes.n) : 0;
}

static uint32_t member_at(const struct hb__part *p, uint64_t place, uint64_t all)
{
	uint64_t i = (uint64_t)((double)place / (double)all * p->team->size);
	return i < p->team->size ? (uint32_t)i : p->team->size - 1;
}

bool hb__part_divide(hb_model *m, struct hb__part *p)
{
	uint32_t n = (uint32_t)m->processes.n;
	p->main = calloc((size_t)n + 1, sizeof *p->main);
	p->last = calloc((size_t)n + 1, sizeof *p->last);
	p->weight = calloc((size_t)n + 2, sizeof *p->weight);
	if (!p->main || !p->last || !p->weight)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const hb_log *log = m->processes.at[i].log;
		uint64_t events = log ? hb_log_get_info(log)->events : 0;
		p->weight[i + 1] = p->weight[i] + 1 + events * OF_EVENT + racing_weight(m, i);
	}
	uint64_t all = p->weight[n] ? p->weight[n] : 1;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t from = p->weight[i], to = p->weight[i + 1];
		bool heavy = racing_weight(m, i) > all / p->team->size / 2;
		p->main[i] = member_at(p, heavy ? from : from + (to - from) / 2, all);
		p->last[i] = heavy ? member_at(p, to - 1, all) : p->main[i];
	}
	p->first = p->end = p->spoken = n;
	for (uint32_t i = 0; i < n; i++)
		if (p->main[i] <= p->team->rank && p->team->rank <= p->last[i]) {
			p->first = p->first == n ? i : p->first;
			p->end = i + 1;
		}
	if (p->first == n)
		p->first = p->end = 0;
	for (uint32_t i = p->first; i < p->end && p->spoken == n; i++)
		if (hb__speaks(p, i))
			p->spoken = i;
	p->spoken = p->spoken == n ? p->end : p->spoken;
	return true;
}

/* ---- what a member looks at ---- */

/* Whose turn it is at the nth of the receives of a process. */
static bool covers(const hb_model *m, uint32_t process, uint32_t nth)
{
	const struct hb__part *p = m->part;
	if (p->main[process] == p->last[process])
		return p->main[process] == p->team->rank;
	uint32_t n = p->places[process].nreceives + 1;
	uint64_t from = p->weight[process], length = p->weight[process + 1] - from;
	uint64_t place = from + (uint64_t)((double)length * nth / n);
	uint32_t member = member_at(p, place, p->weight[m->processes.n]);
	member = member < p->main[process] ? p->main[process] : member;
	return (member > p->last[process] ? p->last[process] : member) == p->team->rank;
}

bool hb_model_covers_receive(const hb_model *m, uint32_t receive)
{
	if (!m->part)
		return true;
	uint32_t process = m->lines.at[m->receives.at[receive].line].process;
	return covers(m, process, receive - m->process_more[process].first_receive);
}

bool hb_model_covers_probe(const hb_model *m, uint32_t probe)
{
	if (!m->part)
		return true;
	uint32_t process = m->lines.at[m->probes.at[probe].line].process;
	return covers(m, process, m->probe_after.at[probe] - m->process_more[process].first_receive);
}

bool hb_model_covers_rest(const hb_model *m, uint32_t process)
{
	return !m->part || m->part->last[process] == m->part->team->rank;
}
