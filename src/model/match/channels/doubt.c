/* Matches that may be others. A wildcard receive whose end is not known (never completed, freed, cut) may have taken a
 * message; then every receive posted after it that could have had a message of the same channel may be off by one. That
 * is not so where no message is left: when all messages of the channel were taken by others, it took none. */
#include "model/internal.h"

struct open {                 /* receives of one spec whose end is not known */
	uint32_t spec, first; /* first: the receive from which on it matters */
};

struct doubt {
	hb_model *m;
	bool *left;             /* by channel: a message that no receive is sure to have taken */
	uint32_t *line, *lines; /* by channel: a line that received from it; how many did, at most 2 */
	VEC(struct open) opens;
};

bool hb__could_take(const hb_spec *s, const hb_channel *c)
{
	return s->group == c->group && (s->tag == HB_ANY_TAG || s->tag == c->tag) &&
	       (s->any_source || s->source == c->source);
}

static void mark(hb_model *m, uint32_t send)
{
	m->sends.at[send].flags |= HB_AMBIGUOUS;
	if (m->sends.at[send].receive != HB_NO)
		m->receives.at[m->sends.at[send].receive].flags |= HB_AMBIGUOUS;
}

static bool is_open(const struct doubt *d, uint32_t channel, uint32_t next_receive)
{
	if (!d->left[channel])
		return false;
	for (size_t i = 0; i < d->opens.n; i++)
		if (d->opens.at[i].first <= next_receive &&
			hb__could_take(&d->m->specs.at[d->opens.at[i].spec], &d->m->channels.at[channel]))
			return true;
	return false;
}

/* With threads the order of posting is open, too: such a receive may have come before all. */
static bool find_opens(struct doubt *d, uint32_t receive, uint32_t end, bool threads)
{
	uint32_t first = receive;
	d->opens.n = 0;
	for (; receive < end; receive++) {
		const hb_receive *v = &d->m->receives.at[receive];
		const hb_spec *s = &d->m->specs.at[v->spec];
		bool known = !(v->flags & HB_PENDING) || (!threads && !s->any_source && s->tag != HB_ANY_TAG);
		for (size_t i = 0; i < d->opens.n && !known; i++)
			known = d->opens.at[i].spec == v->spec;
		if (!known && !VEC_PUSH(&d->opens, ((struct open){v->spec, threads ? first : receive + 1})))
			return false;
	}
	return true;
}

static bool doubt_process(struct doubt *d, uint32_t process)
{
	hb_model *m = d->m;
	bool last = process + 1 == m->processes.n;
	const struct hb__process_more *p = &m->process_more[process];
	uint32_t receives = last ? (uint32_t)m->receives.n : p[1].first_receive;
	uint32_t probes = last ? (uint32_t)m->probes.n : p[1].first_probe;
	bool threads = m->processes.at[process].nlines > 1;
	if (!find_opens(d, p->first_receive, receives, threads))
		return false;
	for (uint32_t k = p->first_receive; k < receives && d->opens.n; k++) {
		uint32_t send = m->receives.at[k].send;
		if (send != HB_NO && is_open(d, m->sends.at[send].channel, k))
			mark(m, send);
	}
	for (uint32_t k = p->first_probe; k < probes; k++) {
		hb_probe *v = &m->probes.at[k];
		uint32_t channel = v->send == HB_NO ? HB_NO : m->sends.at[v->send].channel;
		if (channel == HB_NO) {
			v->flags |= threads ? HB_AMBIGUOUS : 0; /* another thread may have taken it first */
			continue;
		}
		bool others = threads && (d->lines[channel] > 1 || (d->lines[channel] && d->line[channel] != v->line));
		if (others || m->sends.at[v->send].flags & HB_AMBIGUOUS || is_open(d, channel, m->probe_after.at[k]))
			v->flags |= HB_AMBIGUOUS;
	}
	return true;
}

static void look_at_messages(struct doubt *d)
{
	hb_model *m = d->m;
	for (uint32_t i = 0; i < m->sends.n; i++) {
		const hb_send *s = &m->sends.at[i];
		const hb_receive *v = s->receive == HB_NO ? NULL : &m->receives.at[s->receive];
		if (s->flags & HB_CANCELLED)
			continue;
		if (!v || v->flags & HB_PENDING)
			d->left[s->channel] = true;
		if (!v)
			continue;
		if (!d->lines[s->channel]) {
			d->line[s->channel] = v->line;
			d->lines[s->channel] = 1;
		} else if (d->line[s->channel] != v->line) {
			d->lines[s->channel] = 2;
		}
	}
}

/* ---- logs whose lanes end at different moments ---- */

enum { SEVERAL = UINT32_MAX };

static void used(uint32_t *by, uint32_t line) { *by = !*by || *by == line + 1 ? line + 1 : SEVERAL; }

/* Of what several threads sent or received over one channel, the log may have what came later without what came before: which message is which
 * does not follow from their number. */
static bool doubt_uneven(hb_model *m)
{
	bool any = false;
	for (uint32_t p = 0; p < m->processes.n; p++)
		any = any || hb__ends_unevenly(m, p);
	if (!any)
		return true;
	uint32_t *by = calloc(m->channels.n + 1, 2 * sizeof *by);
	for (uint32_t i = 0; by && i < m->sends.n; i++) {
		const hb_send *s = &m->sends.at[i];
		uint32_t from = hb_send_at(m, i).line;
		if (from != HB_NO && hb__ends_unevenly(m, m->lines.at[from].process))
			used(&by[2 * s->channel], from);
		uint32_t to = s->receive == HB_NO ? HB_NO : m->receives.at[s->receive].line;
		if (to != HB_NO && hb__ends_unevenly(m, m->lines.at[to].process))
			used(&by[2 * s->channel + 1], to);
	}
	for (uint32_t i = 0; by && i < m->sends.n; i++) {
		const uint32_t *of = &by[2 * m->sends.at[i].channel];
		if (of[0] == SEVERAL || of[1] == SEVERAL)
			mark(m, i);
	}
	free(by);
	return by;
}

/* The usual case: no threads, and every wildcard receive has its end. */
static bool nothing_open(const hb_model *m)
{
	for (size_t i = 0; i < m->processes.n; i++)
		if (m->processes.at[i].nlines > 1)
			return false;
	for (size_t i = 0; i < m->receives.n; i++)
		if (m->receives.at[i].flags & (HB_PENDING | HB_AMBIGUOUS))
			return false;
	return true;
}

bool hb__doubt(hb_model *m)
{
	struct doubt d = {.m = m};
	size_t n = m->channels.n + 1;
	d.left = calloc(n, sizeof *d.left);
	d.line = calloc(n, sizeof *d.line);
	d.lines = calloc(n, sizeof *d.lines);
	bool good = d.left && d.line && d.lines;
	if (good && nothing_open(m))
		goto done;
	good = good && doubt_uneven(m);
	if (good)
		look_at_messages(&d);
	for (uint32_t p = 0; p < m->processes.n && good; p++)
		good = doubt_process(&d, p);
done:
	free(d.left);
	free(d.line);
	free(d.lines);
	free(d.opens.at);
	return good;
}
