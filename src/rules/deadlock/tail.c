/* Messages under way and receives under way. What completed receives got is known; of the rest, a receive takes the
 * first message that it fits, in the order of posting. Where it could take one of several senders', or threads posted in an
 * unknown order, every one of these is taken to be received: then nobody is said to wait for it. */
#include "rules/deadlock/wait.h"

#define WORK_MOST 50000000u

enum { RECEIVED = 1, TAKEN = 2, MAYBE = 4 };

struct queue {
	uint32_t channel, at, n;
	const uint32_t *send;
};

static bool under_way(const struct hb__graph *g, uint32_t send)
{
	const hb_send *s = &hb_model_sends(g->m)[send];
	return s->receive == HB_NO || hb_model_receives(g->m)[s->receive].flags & HB_PENDING;
}

/* Sorts by process: counts first. */
static bool sort(struct hb__graph *g)
{
	const hb_model_info *info = hb_model_get_info(g->m);
	const hb_receive *receive = hb_model_receives(g->m);
	const hb_channel *channel = hb_model_channels(g->m);
	const hb_spec *spec = hb_model_specs(g->m);
	g->in_first = calloc((size_t)info->processes + 2, sizeof *g->in_first);
	g->open_first = calloc((size_t)info->processes + 2, sizeof *g->open_first);
	g->in = malloc(((size_t)info->channels + 1) * sizeof *g->in);
	g->open = malloc(((size_t)info->receives + 1) * sizeof *g->open);
	if (!g->in_first || !g->open_first || !g->in || !g->open)
		return false;
	for (uint32_t c = 0; c < info->channels; c++)
		if (channel[c].dest != HB_NO)
			g->in_first[channel[c].dest + 2]++;
	for (uint32_t r = 0; r < info->receives; r++)
		if (receive[r].flags & HB_PENDING)
			g->open_first[spec[receive[r].spec].process + 2]++;
	for (uint32_t p = 2; p < info->processes + 2; p++) {
		g->in_first[p] += g->in_first[p - 1];
		g->open_first[p] += g->open_first[p - 1];
	}
	for (uint32_t c = 0; c < info->channels; c++)
		if (channel[c].dest != HB_NO)
			g->in[g->in_first[channel[c].dest + 1]++] = c;
	for (uint32_t r = 0; r < info->receives; r++)
		if (receive[r].flags & HB_PENDING)
			g->open[g->open_first[spec[receive[r].spec].process + 1]++] = r;
	return true;
}

static bool fits(const hb_spec *s, const hb_channel *c)
{
	return s->group == c->group && (s->tag == HB_ANY_TAG || s->tag == c->tag) &&
	       (s->any_source || s->source == c->source);
}

static uint32_t head(const struct hb__graph *g, struct queue *q)
{
	while (q->at < q->n && g->sent[q->send[q->at]] & (RECEIVED | TAKEN))
		q->at++;
	return q->at < q->n ? q->send[q->at] : HB_NO;
}

static void any_of(struct hb__graph *g, const struct queue *q)
{
	for (uint32_t k = q->at; k < q->n; k++)
		g->sent[q->send[k]] |= MAYBE;
}

static void take_message(struct hb__graph *g, struct queue *queues, uint32_t n, uint32_t receive, bool threads)
{
	const hb_spec *s = &hb_model_specs(g->m)[hb_model_receives(g->m)[receive].spec];
	uint32_t found = 0, send = HB_NO;
	for (uint32_t i = 0; i < n; i++) {
		if (!fits(s, &hb_model_channels(g->m)[queues[i].channel]))
			continue;
		uint32_t first = head(g, &queues[i]);
		found += first != HB_NO;
		send = first != HB_NO ? first : send;
	}
	if (!found)
		return;
	g->got[receive] = 1;
	if (found == 1 && !threads) {
		g->sent[send] |= TAKEN;
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (fits(s, &hb_model_channels(g->m)[queues[i].channel]))
			any_of(g, &queues[i]);
}

static bool match(struct hb__graph *g, uint32_t process)
{
	uint32_t first = g->in_first[process], n = 0, most = g->in_first[process + 1] - first;
	uint32_t open = g->open_first[process + 1] - g->open_first[process];
	bool threads = hb_model_processes(g->m)[process].nlines > 1;
	if (!open || !most)
		return true;
	struct queue *queues = malloc(most * sizeof *queues);
	if (!queues)
		return false;
	for (uint32_t i = 0; i < most; i++) {
		struct queue q = {.channel = g->in[first + i]};
		q.send = hb_model_channel_sends(g->m, q.channel, &q.n);
		if (head(g, &q) != HB_NO)
			queues[n++] = q;
	}
	bool much = (uint64_t)n * open > WORK_MOST;
	for (uint32_t i = 0; i < open; i++) {
		uint32_t receive = g->open[g->open_first[process] + i];
		if (!much)
			take_message(g, queues, n, receive, threads);
		else
			g->got[receive] = 1;
	}
	for (uint32_t k = 0; k < n && much; k++)
		any_of(g, &queues[k]);
	free(queues);
	return true;
}

bool hb__tail(struct hb__graph *g)
{
	const hb_model_info *info = hb_model_get_info(g->m);
	g->sent = calloc((size_t)info->sends + 1, 1);
	g->got = calloc((size_t)info->receives + 1, 1);
	if (!g->sent || !g->got || !sort(g))
		return false;
	for (uint32_t s = 0; s < info->sends; s++)
		g->sent[s] = under_way(g, s) ? 0 : RECEIVED;
	for (uint32_t p = 0; p < info->processes; p++)
		if (!match(g, p))
			return false;
	return true;
}

uint32_t hb__tail_probe(const struct hb__graph *g, uint32_t process, uint32_t group, uint32_t source, int32_t tag)
{
	hb_spec s = {.group = group, .process = process, .source = source, .tag = tag, .any_source = source == HB_NO};
	for (uint32_t i = g->in_first[process]; i < g->in_first[process + 1]; i++) {
		uint32_t n;
		const uint32_t *send = hb_model_channel_sends(g->m, g->in[i], &n);
		if (!fits(&s, &hb_model_channels(g->m)[g->in[i]]))
			continue;
		for (uint32_t k = n; k-- > 0;)
			if (!(g->sent[send[k]] & (RECEIVED | TAKEN)))
				return send[k];
	}
	return HB_NO;
}
