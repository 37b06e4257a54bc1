/* Which message a wildcard receive took whose end is not known. MPI gives a message to the receive that was posted first among those that it fits:
 * when a receive posted later got one that fits this one, too, this one had taken another one before. That is one of those that nobody
 * is known to have received. Of several that could be it the one that was sent first is taken for it: a run that goes this way shows the program
 * the same. */
#include "model/internal.h"

struct search {
	const hb_model *m;
	uint32_t *given,
		*first; /* by channel: messages that were found to be taken; the first that has no receive, HB_NO: not looked for */
	uint32_t *shown;                      /* by spec: see shown_by */
	uint32_t end, first_probe, end_probe; /* of the receives, and the probes, of the process */
	hb_took *found;
	size_t n, room;
};

/* Nanoseconds since the epoch, as the process has them; false: the log does not say. */
static bool moment(const hb_model *m, hb_at at, bool exit, double *ret)
{
	const hb_line *l = &hb_model_lines(m)[at.line];
	hb_log *log = hb_model_processes(m)[l->process].log;
	const hb_log_info *info = log ? hb_log_get_info(log) : NULL;
	hb_cursor *c;
	hb_row row;
	if (!info || hb_cursor_open(log, l->lane, at.event, &c, NULL))
		return false;
	bool found = hb_cursor_next(c, &row, NULL) == 1;
	if (found)
		*ret = (double)info->origin_real + hb_ticks_ns(info, exit ? row.exit : row.enter);
	hb_cursor_close(c);
	return found;
}

static bool sent_before(const hb_model *m, uint32_t send, double limit, double *ret_sent)
{
	return moment(m, hb_send_at(m, send), false, ret_sent) && *ret_sent <= limit;
}

static uint32_t first_left(struct search *s, uint32_t channel)
{
	uint32_t n;
	const uint32_t *sends = hb_model_channel_sends(s->m, channel, &n);
	for (uint32_t i = 0; s->first[channel] == HB_NO && i <= n; i++)
		if (i == n || s->m->sends.at[sends[i]].receive == HB_NO)
			s->first[channel] = i;
	return s->first[channel];
}

/* The first message of a channel whose receive was posted after it; those before `left` have receives, in the order of posting. */
static uint32_t place_of(const hb_model *m, const uint32_t *sends, uint32_t left, uint32_t receive)
{
	uint32_t from = 0, end = left;
	while (from < end) {
		uint32_t middle = from + (end - from) / 2;
		if (m->sends.at[sends[middle]].receive < receive)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

/* The message that it took if it was one of this channel; HB_NO: it cannot have been. Receives posted after it have each the next one, then, which
 * must have been sent before they were over. */
static uint32_t message_of(struct search *s, uint32_t receive, uint32_t channel, double limit, double *ret_sent)
{
	const hb_model *m = s->m;
	uint32_t n, left = first_left(s, channel), given = s->given[channel];
	const uint32_t *sends = hb_model_channel_sends(m, channel, &n);
	if (left + given >= n)
		return HB_NO;
	uint32_t place = place_of(m, sends, left, receive);
	for (uint32_t i = place; i < left; i++) {
		hb_at done = hb_receive_done(m, m->sends.at[sends[i]].receive);
		double over, sent;
		if (done.event && (!moment(m, done, true, &over) || !sent_before(m, sends[i + given + 1], over, &sent)))
			return HB_NO;
	}
	uint32_t took = sends[place + given];
	return sent_before(m, took, limit, ret_sent) ? took : HB_NO;
}

/* The first receive posted after it that got a message that fits it, too; s->end: none. Those of one kind are asked for in the order of posting. */
static uint32_t shown_by(struct search *s, uint32_t receive)
{
	const hb_model *m = s->m;
	uint32_t of = m->receives.at[receive].spec, k = s->shown[of] > receive ? s->shown[of] : receive + 1;
	for (; k < s->end; k++) {
		const hb_receive *v = &m->receives.at[k];
		if (v->send != HB_NO && v->done && !(v->flags & (HB_PENDING | HB_CANCELLED)) &&
			hb__could_take(&m->specs.at[of], &m->channels.at[m->sends.at[v->send].channel]))
			break;
	}
	s->shown[of] = k;
	return k;
}

/* When a message was there that it would have had, had it not taken another one before; false: nothing shows that. */
static bool must_have_taken(struct search *s, uint32_t receive, double *ret_limit)
{
	const hb_model *m = s->m;
	const hb_spec *spec = &m->specs.at[m->receives.at[receive].spec];
	uint32_t k = shown_by(s, receive);
	double seen;
	bool shown = k < s->end && moment(m, hb_receive_done(m, k), true, ret_limit);
	for (uint32_t i = s->first_probe; i < s->end_probe; i++) {
		const hb_probe *v = &m->probes.at[i];
		bool fits = v->send != HB_NO && hb_probe_after(m, i) > receive &&
			    hb__could_take(spec, &m->channels.at[m->sends.at[v->send].channel]);
		if (!fits || !moment(m, (hb_at){v->line, v->event}, true, &seen))
			continue;
		*ret_limit = shown && *ret_limit < seen ? *ret_limit : seen;
		return true;
	}
	return shown;
}

static bool find(struct search *s, uint32_t receive)
{
	const hb_model *m = s->m;
	const hb_spec *spec = &m->specs.at[m->receives.at[receive].spec];
	double limit, sent, earliest = 0;
	uint32_t best = HB_NO;
	if (!must_have_taken(s, receive, &limit))
		return true;
	for (uint32_t c = 0; c < m->channels.n; c++) {
		if (m->channels.at[c].dest != spec->process || !hb__could_take(spec, &m->channels.at[c]))
			continue;
		uint32_t send = message_of(s, receive, c, limit, &sent);
		if (send == HB_NO || (best != HB_NO && earliest <= sent))
			continue;
		best = send;
		earliest = sent;
	}
	if (best == HB_NO)
		return true;
	s->given[m->sends.at[best].channel]++;
	if (!HB_GROW(s->found, s->room, s->n + 1))
		return false;
	s->found[s->n++] = (hb_took){receive, best};
	return true;
}

/* Threads post in an order that is open. */
static bool one_line(const hb_model *m, uint32_t from, uint32_t end)
{
	for (uint32_t k = from; k < end; k++)
		if (m->receives.at[k].line != m->receives.at[from].line)
			return false;
	return true;
}

static bool search_process(struct search *s, uint32_t process)
{
	const hb_model *m = s->m;
	const struct hb__process_more *p = &m->process_more[process];
	bool last = process + 1 == m->processes.n;
	uint32_t from = p->first_receive;
	s->end = last ? (uint32_t)m->receives.n : p[1].first_receive;
	s->first_probe = p->first_probe;
	s->end_probe = last ? (uint32_t)m->probes.n : p[1].first_probe;
	bool good = true, alike = one_line(m, from, s->end);
	for (uint32_t k = from; good && alike && k < s->end; k++) {
		const hb_receive *v = &m->receives.at[k];
		const hb_spec *spec = &m->specs.at[v->spec];
		bool open = v->flags & HB_PENDING && !(v->flags & HB_CANCELLED) && !v->done && v->post;
		if (open && !(v->flags & HB_CANCEL_ASKED) && (spec->any_source || spec->tag == HB_ANY_TAG))
			good = find(s, k);
	}
	return good;
}

hb_status hb_model_took(const hb_model *m, hb_took **ret, size_t *ret_n)
{
	size_t n = m->channels.n + 1;
	struct search s = {.m = m,
		.given = calloc(n, sizeof *s.given),
		.first = malloc(n * sizeof *s.first),
		.shown = calloc(m->specs.n + 1, sizeof *s.shown)};
	bool good = s.given && s.first && s.shown;
	if (good)
		memset(s.first, 0xff, n * sizeof *s.first);
	for (uint32_t p = 0; p < m->processes.n && good; p++)
		good = search_process(&s, p);
	free(s.given);
	free(s.first);
	free(s.shown);
	*ret = s.found;
	*ret_n = s.n;
	return good ? HB_OK : HB_E_MEMORY;
}
