/* Sends and receives of one channel become messages: the k-th with the k-th. Until then a receive's
 * `send` is its channel; sends that wait are chained by `seen`, receives by `send`. */
#include "model/internal.h"

struct queue {
	uint32_t first, last; /* of the sends that no receive took; HB_NO: none */
	uint32_t first_receive, last_receive;
	uint32_t probes; /* of those that look at the next message: the last one; chained by `send` */
};

static void match(hb_model *m, uint32_t send, uint32_t receive)
{
	hb_send *s = &m->sends.at[send];
	hb_receive *v = &m->receives.at[receive];
	s->receive = receive;
	s->seen = 0;
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

static void link_send(hb_model *m, struct queue *queues, uint32_t id)
{
	hb_send *s = &m->sends.at[id];
	if (s->flags & HB_CANCELLED)
		return;
	struct queue *q = &queues[s->channel];
	m->channels.at[s->channel].sent++;
	s->seen = HB_NO;
	if (q->first == HB_NO)
		q->first = id;
	else
		m->sends.at[q->last].seen = id;
	q->last = id;
}

/* All sends of all processes are in their queues. */
static void link_receive(hb_model *m, struct queue *queues, uint32_t id)
{
	hb_receive *v = &m->receives.at[id];
	uint32_t channel = v->send;
	if (channel == HB_NO)
		return;
	struct queue *q = &queues[channel];
	uint32_t send = q->first;
	v->send = HB_NO;
	if (send == HB_NO && v->flags & HB_PENDING)
		return; /* nothing came */
	probes_saw(m, q, send);
	m->channels.at[channel].received++;
	if (send == HB_NO)
		return;
	q->first = m->sends.at[send].seen;
	match(m, send, id);
}

static void link_probe(hb_model *m, struct queue *queues, uint32_t id)
{
	hb_probe *p = &m->probes.at[id];
	struct queue *q = &queues[p->send];
	p->send = q->probes;
	q->probes = id;
}

/* A receive that was posted and whose end is not known, with source and tag given, has its place in the order all the same. */
static void place_pending(hb_model *m, uint32_t id)
{
	hb_receive *v = &m->receives.at[id];
	const hb_spec *s = &m->specs.at[v->spec];
	if (!(v->flags & HB_PENDING) || s->any_source || s->tag == HB_ANY_TAG)
		return;
	v->send = hb__look(&m->channel_of,
		(struct hb__key){(uint64_t)s->group << 32 | s->source, (uint64_t)s->process << 32 | (uint32_t)s->tag});
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
		place_pending(m, receive);
		link_receive(m, queues, receive);
	}
}

bool hb__link(hb_model *m)
{
	struct queue *queues = malloc((m->channels.n + 1) * sizeof *queues);
	if (!queues)
		return false;
	memset(queues, 0xff, (m->channels.n + 1) * sizeof *queues);
	for (uint32_t i = 0; i < m->sends.n; i++)
		link_send(m, queues, i);
	for (uint32_t p = 0; p < m->processes.n; p++)
		link_process(m, queues, p);
	for (size_t c = 0; c < m->channels.n; c++) {
		probes_saw(m, &queues[c], queues[c].first);
		for (uint32_t i = queues[c].first, next; i != HB_NO; i = next) {
			next = m->sends.at[i].seen;
			m->sends.at[i].seen = 0;
		}
	}
	free(queues);
	if (!hb__doubt(m))
		return false;
	for (uint32_t i = 0; i < m->sends.n; i++)
		m->info.ambiguous += (m->sends.at[i].flags & HB_AMBIGUOUS) && m->sends.at[i].receive != HB_NO;
	return true;
}
