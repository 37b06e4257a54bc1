/* Sends and receives of one channel become messages: the k-th with the k-th. The sends are listed channel by
 * channel; until a receive is linked its `send` is its channel. */
#include "model/internal.h"

#define AHEAD 16 /* receives */

struct queue {
	uint32_t at, end; /* of the sends that no receive took, as places in the list */
	uint32_t probes;  /* of those that look at the next message: the last one; chained by `send` */
};

static void match(hb_model *m, uint32_t send, uint32_t receive)
{
	hb_send *s = &m->sends.at[send];
	hb_receive *v = &m->receives.at[receive];
	s->receive = receive;
	v->send = send;
	m->info.matched++;
	uint8_t open = (uint8_t)((s->flags | v->flags) & HB_AMBIGUOUS);
	s->flags |= open;
	v->flags |= open;
}

static void probes_saw(hb_model *m, struct queue *q, uint32_t send)
{
	for (uint32_t i = q->probes, next; i != HB_NO; i = next) {
		next = m->probes.at[i].send;
		m->probes.at[i].send = send;
	}
	q->probes = HB_NO;
}

/* Counting sort by channel. */
static struct queue *list_sends(hb_model *m)
{
	size_t channels = m->channels.n;
	uint32_t *first = calloc(channels + 2, sizeof *first), *list = malloc((m->sends.n + 1) * sizeof *list);
	struct queue *queues = malloc((channels + 1) * sizeof *queues);
	if (m->rings && !hb__before_channels(m)) {
		free(first);
		free(list);
		free(queues);
		return NULL;
	}
	m->channel_first = first;
	m->channel_sends = list;
	if (!first || !list || !queues) {
		free(queues);
		return NULL;
	}
	for (size_t i = 0; i < m->sends.n; i++)
		if (!(m->sends.at[i].flags & HB_CANCELLED))
			first[m->sends.at[i].channel + 2]++;
	for (size_t c = 2; c < channels + 2; c++)
		first[c] += first[c - 1];
	for (uint32_t i = 0; i < m->sends.n; i++)
		if (!(m->sends.at[i].flags & HB_CANCELLED))
			list[first[m->sends.at[i].channel + 1]++] = i;
	for (size_t c = 0; c < channels; c++) {
		queues[c] = (struct queue){first[c], first[c + 1], HB_NO};
		m->channels.at[c].sent = first[c + 1] - first[c];
	}
	return queues;
}

static uint32_t next_of(const hb_model *m, const struct queue *q)
{
	return q->at < q->end ? m->channel_sends[q->at] : HB_NO;
}

static void link_receive(hb_model *m, struct queue *queues, uint32_t id)
{
	hb_receive *v = &m->receives.at[id];
	uint32_t channel = v->send;
	if (channel == HB_NO)
		return;
	if (m->owed && m->owed[channel]) { /* its message was sent before what is kept */
		m->owed[channel] -= m->owed[channel] != UINT64_MAX;
		v->send = HB_NO;
		return;
	}
	struct queue *q = &queues[channel];
	uint32_t send = next_of(m, q);
	v->send = HB_NO;
	if (send == HB_NO && v->flags & HB_PENDING)
		return; /* nothing came */
	if (q->probes != HB_NO)
		probes_saw(m, q, send);
	m->channels.at[channel].received++;
	if (send == HB_NO)
		return;
	q->at++;
	match(m, send, id);
}

static void link_probe(hb_model *m, struct queue *queues, uint32_t id)
{
	hb_probe *p = &m->probes.at[id];
	if (m->owed && m->owed[p->send]) {
		p->send = HB_NO;
		return;
	}
	struct queue *q = &queues[p->send];
	p->send = q->probes;
	q->probes = id;
}

/* A receive that was posted and whose end is not known, with source and tag given, has its place in the order all the same. */
static void place_pending(hb_model *m, uint32_t id)
{
	hb_receive *v = &m->receives.at[id];
	const hb_spec *s = &m->specs.at[v->spec];
	bool threads = m->processes.at[s->process].nlines > 1; /* then it may have been posted last, too */
	if (!(v->flags & HB_PENDING) || s->any_source || s->tag == HB_ANY_TAG || threads)
		return;
	v->send = hb__look(&m->channel_of,
		(struct hb__key){(uint64_t)s->group << 32 | s->source, (uint64_t)s->process << 32 | (uint32_t)s->tag});
}

/* What the receives ahead need is all over the memory: it is asked for in time. How many of those between are of the
 * same channel is not known: none or all is usual. */
static void fetch_ahead(const hb_model *m, const struct queue *queues, uint32_t receive, uint32_t end)
{
	if (receive + 2 * AHEAD < end && m->receives.at[receive + 2 * AHEAD].send != HB_NO)
		__builtin_prefetch(&queues[m->receives.at[receive + 2 * AHEAD].send]);
	if (receive + AHEAD >= end || m->receives.at[receive + AHEAD].send == HB_NO)
		return;
	const struct queue *q = &queues[m->receives.at[receive + AHEAD].send];
	if (q->at < q->end)
		__builtin_prefetch(&m->sends.at[m->channel_sends[q->at]], 1);
	if (q->at + AHEAD < q->end)
		__builtin_prefetch(&m->sends.at[m->channel_sends[q->at + AHEAD]], 1);
}

static void link_process(hb_model *m, struct queue *queues, uint32_t process)
{
	bool last = process + 1 == m->processes.n;
	uint32_t receive = m->process_more[process].first_receive, probe = m->process_more[process].first_probe;
	uint32_t receives = last ? (uint32_t)m->receives.n : m->process_more[process + 1].first_receive;
	uint32_t probes = last ? (uint32_t)m->probes.n : m->process_more[process + 1].first_probe;
	for (; receive < receives || probe < probes; receive++) {
		while (probe < probes && m->probe_after.at[probe] <= receive)
			link_probe(m, queues, probe++);
		if (receive >= receives)
			continue;
		fetch_ahead(m, queues, receive, receives);
		place_pending(m, receive);
		link_receive(m, queues, receive);
	}
}

bool hb__link(hb_model *m)
{
	struct queue *queues = list_sends(m);
	if (!queues)
		return false;
	for (uint32_t p = 0; p < m->processes.n; p++)
		link_process(m, queues, p);
	for (size_t c = 0; c < m->channels.n; c++)
		if (queues[c].probes != HB_NO)
			probes_saw(m, &queues[c], next_of(m, &queues[c]));
	free(queues);
	if (!hb__link_sockets(m) || !hb__doubt(m))
		return false;
	for (size_t i = 0; i < m->receives.n; i++)
		m->info.ambiguous += (m->receives.at[i].flags & HB_AMBIGUOUS) && m->receives.at[i].send != HB_NO;
	return true;
}
