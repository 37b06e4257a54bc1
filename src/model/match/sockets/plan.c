/* Pairs of events become messages: when the processes are read, each becomes a send of the one and a receive of the other. */
#include <stdio.h>

#include "model/match/sockets/sockets.h"

uint32_t hb__pair_of(struct hb__sockets *s, uint32_t from, uint32_t to, uint32_t bytes, uint32_t group)
{
	struct hb__pair p = {
		.from = from, .to = to, .bytes = bytes, .group = group, .dest = HB_NO, .send = HB_NO, .receive = HB_NO};
	if (s->pairs.n >> 28 || !VEC_PUSH(&s->pairs, p)) {
		s->no_memory = true;
		return 0;
	}
	return (uint32_t)s->pairs.n - 1;
}

void hb__socket_edge(struct hb__sockets *s, hb_edge_kind kind, uint32_t from, uint32_t to)
{
	const struct hb__talk *a = hb__talk_of(s, from), *b = hb__talk_of(s, to);
	hb_edge e = {{a->line, a->event}, {b->line, b->event}, kind};
	if (a->line == b->line)
		return;
	if (s->m->edges.n >> 28 || !VEC_PUSH(&s->m->edges, e))
		s->no_memory = true;
}

/* ---- groups ---- */

static uint32_t new_group(struct hb__sockets *s, const char *title, const uint32_t *process, size_t n)
{
	struct hb__socket_group g = {strdup(title), malloc((n + 1) * sizeof *g.process), (uint32_t)n, HB_NO};
	if (g.process && n)
		memcpy(g.process, process, n * sizeof *process);
	if (g.title && g.process && VEC_PUSH(&s->groups, g))
		return (uint32_t)s->groups.n - 1;
	free(g.title);
	free(g.process);
	s->no_memory = true;
	return 0;
}

/* Behind the communicators of the process that is read first. */
uint32_t hb__group_number(hb_model *m, struct hb__socket_group *known)
{
	if (known->number != HB_NO)
		return known->number;
	hb_group g = {
		.size = known->n, .parent = HB_NO, .untagged = true, .member = known->process, .title = known->title};
	struct hb__group_more more = {.known_as = malloc(((size_t)known->n + 1) * sizeof(uint32_t))};
	snprintf(g.name, sizeof g.name, "%.*s", (int)sizeof g.name - 1, known->title);
	if (!more.known_as || !VEC_GROW(&m->groups, m->groups.n + 1) ||
		!VEC_GROW(&m->group_more, m->group_more.n + 1)) {
		free(more.known_as);
		m->no_memory = true;
		return 0;
	}
	memset(more.known_as, 0xff, ((size_t)known->n + 1) * sizeof(uint32_t));
	known->title = NULL; /* they are the model's now */
	known->process = NULL;
	m->groups.at[m->groups.n++] = g;
	m->group_more.at[m->group_more.n++] = more;
	return known->number = (uint32_t)m->groups.n - 1;
}

uint32_t hb__group_of_end(struct hb__sockets *s, uint32_t end)
{
	struct hb__socket_end *e = &s->ends.at[end];
	if (e->group == HB_NO)
		e->group = new_group(s, e->name, e->processes.at, e->processes.n);
	return e->group;
}

uint32_t hb__group_of_connection(struct hb__sockets *s, uint32_t connection)
{
	struct hb__connection *c = &s->connections.at[connection];
	char name[HB__NAME_ROOM];
	if (c->group == HB_NO)
		c->group = new_group(s, hb__connection_name(s, connection, name), c->processes.at, c->processes.n);
	return c->group;
}

/* ---- outside ---- */

uint32_t hb__outside(struct hb__sockets *s, uint32_t process, const char *what, uint32_t address)
{
	hb_model *m = s->m;
	char name[HB__NAME_ROOM];
	uint64_t hash = 0xcbf29ce484222325u;
	int n = snprintf(name, sizeof name, "%s%s", what, address == HB_NO ? "?" : s->addresses.at[address].text);
	for (int i = 0; i < n && name[i]; i++)
		hash = (hash ^ (uint8_t)name[i]) * 0x100000001b3u;
	for (;; hash++) {
		struct hb__cell *cell = hb__place(&s->outside_of, (struct hb__key){hash, process});
		if (cell && cell->value == HB_NO) {
			hb_outside fresh = {process, strdup(name), 0, 0};
			if (fresh.name && VEC_PUSH(&m->outside, fresh))
				cell->value = (uint32_t)m->outside.n - 1;
			else
				free((void *)fresh.name);
		}
		if (!cell || cell->value == HB_NO) {
			s->no_memory = true;
			return HB_NO;
		}
		if (!strcmp(m->outside.at[cell->value].name, name))
			return cell->value;
	}
}

void hb__crosses(struct hb__sockets *s, uint32_t outside, uint32_t talk, uint32_t bytes, bool in)
{
	const struct hb__talk *t = hb__talk_of(s, talk);
	hb_crossing c = {{t->line, t->event}, outside, 1, bytes, in};
	if (outside == HB_NO)
		return;
	hb_outside *o = &s->m->outside.at[outside];
	o->sent += !in;
	o->received += in;
	if (s->m->crossings.n >= HB_NO || !VEC_PUSH(&s->m->crossings, c))
		s->no_memory = true;
}

static int by_event(const void *a, const void *b)
{
	const hb_crossing *x = a, *y = b;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.event != y->at.event)
		return x->at.event < y->at.event ? -1 : 1;
	if (x->in != y->in)
		return x->in ? 1 : -1;
	return x->outside < y->outside ? -1 : x->outside > y->outside;
}

/* Several datagrams of one call to one place become one. */
static void sort_crossings(hb_model *m)
{
	hb_crossing *all = m->crossings.at;
	size_t n = 0;
	if (m->crossings.n)
		qsort(all, m->crossings.n, sizeof *all, by_event);
	for (size_t i = 0; i < m->crossings.n; i++) {
		if (n && !by_event(&all[n - 1], &all[i])) {
			all[n - 1].n += all[i].n;
			all[n - 1].bytes += all[i].bytes;
		} else {
			all[n++] = all[i];
		}
	}
	m->crossings.n = n;
}

/* ---- pairs by talk ---- */

static int compare(uint32_t x, uint32_t y) { return x < y ? -1 : x > y; }

/* As they stand in the call; bytes are in their order. */
static int by_put(const void *a, const void *b, void *sockets)
{
	const struct hb__pair *pairs = ((const struct hb__sockets *)sockets)->pairs.at;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return pairs[x].put != pairs[y].put ? compare(pairs[x].put, pairs[y].put) : compare(x, y);
}
static int by_got(const void *a, const void *b, void *sockets)
{
	const struct hb__pair *pairs = ((const struct hb__sockets *)sockets)->pairs.at;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return pairs[x].got != pairs[y].got ? compare(pairs[x].got, pairs[y].got) : compare(x, y);
}

static bool list(struct hb__sockets *s, bool to, uint32_t **ret_first, uint32_t **ret_pair)
{
	size_t n = s->talks.n;
	uint32_t *first = calloc(n + 2, sizeof *first), *pair = malloc((s->pairs.n + 1) * sizeof *pair);
	*ret_first = first;
	*ret_pair = pair;
	if (!first || !pair)
		return false;
	for (size_t i = 0; i < s->pairs.n; i++) {
		uint32_t t = to ? s->pairs.at[i].to : s->pairs.at[i].from;
		if (t != HB_NO)
			first[t + 2]++;
	}
	for (size_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < s->pairs.n; i++) {
		uint32_t t = to ? s->pairs.at[i].to : s->pairs.at[i].from;
		if (t != HB_NO)
			pair[first[t + 1]++] = i;
	}
	for (size_t t = 0; t < n; t++)
		if (first[t + 1] - first[t] > 1)
			qsort_r(pair + first[t], first[t + 1] - first[t], sizeof *pair, to ? by_got : by_put, s);
	return true;
}

hb_status hb__plan_sockets(hb_model *m, hb_error *err)
{
	bool any = false;
	for (size_t i = 0; i < m->processes.n && !any; i++)
		any = m->processes.at[i].log && hb__has_sockets(m->processes.at[i].log);
	if (!any)
		return HB_OK;
	struct hb__sockets *s = m->sockets = calloc(1, sizeof *s);
	if (!s)
		return hb__no_memory(err);
	s->m = m;
	s->network_of = calloc(m->processes.n + 1, sizeof *s->network_of);
	s->last = calloc(m->lines.n + 1, sizeof *s->last);
	if (!s->network_of || !s->last)
		return hb__no_memory(err);
	hb_status status = hb__collect_sockets(s, err);
	if (status)
		return status;
	if (!hb__find_faults(s))
		return hb__no_memory(err);
	hb__match_streams(s);
	hb__match_datagrams(s);
	sort_crossings(m);
	free(s->pieces.at);
	free(s->out.at);
	free(s->in.at);
	memset(&s->pieces, 0, sizeof s->pieces);
	memset(&s->out, 0, sizeof s->out);
	memset(&s->in, 0, sizeof s->in);
	bool good = !s->no_memory && !m->no_memory && list(s, false, &s->from_first, &s->from_pair) &&
		    list(s, true, &s->to_first, &s->to_pair);
	if (good)
		hb__find_ready(s);
	return good ? HB_OK : hb__no_memory(err);
}

/* ---- while the processes are read ---- */

static void send(struct hb__reading *r, struct hb__sockets *s, struct hb__pair *p)
{
	uint32_t dest = p->to == HB_NO ? p->dest : hb__talker(s, p->to);
	p->send = hb__add_send(r, hb__group_number(r->m, &s->groups.at[p->group]), dest, 0, p->bytes);
	if (!r->m->no_memory)
		r->m->sends.at[p->send].flags |= (p->ambiguous ? HB_AMBIGUOUS : 0) | (p->twice ? HB_TWICE : 0);
}

static void receive(struct hb__reading *r, struct hb__sockets *s, struct hb__pair *p)
{
	uint32_t source = p->wild ? HB_NO : hb__talker(s, p->from);
	p->receive = hb__add_receive(r, hb__group_number(r->m, &s->groups.at[p->group]), source, HB_ANY_TAG, p->wild);
	if (r->m->no_memory)
		return;
	r->m->receives.at[p->receive].flags |= p->ambiguous ? HB_AMBIGUOUS : 0;
	bool part = r->event->means->does == HB_DOES_BYTES_IN &&
		    hb_event_value(r->event, "asked") > hb_event_value(r->event, "bytes");
	r->m->receives.at[p->receive].flags |= part ? HB_PART : 0;
}

/* Whether nobody can have the connection but processes known to have it, and those whom they made. */
static bool closed(const struct hb__sockets *s, uint32_t connection)
{
	const struct hb__connection *c = &s->connections.at[connection];
	unsigned sides = 0;
	for (size_t i = 0; i < s->ends.n && !c->paired; i++)
		if (s->ends.at[i].connection == connection)
			sides |= 1u << s->ends.at[i].side;
	return c->paired || (sides == 3 && c->kind != HB__END_PIPE && c->kind != HB__END_FIFO);
}

/* The call never returned: what it works on. */
static void stays(struct hb__reading *r, struct hb__sockets *s, uint32_t talk)
{
	for (size_t i = 0; i < s->stuck.n; i++) {
		uint32_t connection = s->ends.at[s->stuck.at[i].end].connection;
		if (s->stuck.at[i].talk != talk)
			continue;
		uint32_t known = hb__group_of_connection(s, connection);
		uint32_t group = s->no_memory ? 0 : hb__group_number(r->m, &s->groups.at[known]);
		r->m->no_memory = r->m->no_memory || s->no_memory;
		if (r->m->no_memory)
			return;
		r->m->lines.at[r->line].group = group;
		r->m->groups.at[group].open = !closed(s, connection);
	}
}

void hb__on_socket(struct hb__reading *r)
{
	struct hb__sockets *s = r->m->sockets;
	uint32_t t = s ? s->next : 0;
	if (!s || t >= s->talks.n || s->talks.at[t].line != r->line || s->talks.at[t].event != r->event->row->number)
		return; /* nothing was found for it */
	s->next++;
	for (uint32_t i = s->from_first[t]; i < s->from_first[t + 1]; i++)
		send(r, s, &s->pairs.at[s->from_pair[i]]);
	for (uint32_t i = s->to_first[t]; i < s->to_first[t + 1] && !r->inside; i++)
		receive(r, s, &s->pairs.at[s->to_pair[i]]);
	if (r->inside)
		stays(r, s, t);
	else
		hb__on_ready(r, s, t);
}

/* ---- once all are read ---- */

/* The sends of their channels in the order in which they were received, and behind them those that were not. */
static bool order_channels(hb_model *m)
{
	uint32_t *at = malloc((m->channels.n + 1) * sizeof *at);
	if (!at)
		return false;
	memcpy(at, m->channel_first, m->channels.n * sizeof *at);
	for (size_t i = 0; i < m->receives.n; i++) {
		uint32_t send = m->receives.at[i].send;
		if (send != HB_NO && m->groups.at[m->channels.at[m->sends.at[send].channel].group].untagged)
			m->channel_sends[at[m->sends.at[send].channel]++] = send;
	}
	for (uint32_t i = 0; i < m->sends.n; i++) {
		uint32_t c = m->sends.at[i].channel;
		if (m->sends.at[i].receive == HB_NO && m->groups.at[m->channels.at[c].group].untagged)
			m->channel_sends[at[c]++] = i;
	}
	free(at);
	return true;
}

bool hb__link_sockets(hb_model *m)
{
	struct hb__sockets *s = m->sockets;
	if (!s)
		return true;
	for (size_t i = 0; i < s->pairs.n; i++) {
		const struct hb__pair *p = &s->pairs.at[i];
		if (p->send == HB_NO || p->receive == HB_NO)
			continue;
		m->sends.at[p->send].receive = p->receive;
		m->receives.at[p->receive].send = p->send;
		m->channels.at[m->sends.at[p->send].channel].received++;
		m->info.matched++;
	}
	hb__link_ready(s);
	return order_channels(m);
}

void hb__close_sockets(hb_model *m)
{
	struct hb__sockets *s = m->sockets;
	if (!s)
		return;
	for (size_t i = 0; i < s->ends.n; i++)
		free(s->ends.at[i].processes.at);
	for (size_t i = 0; i < s->connections.n; i++)
		free(s->connections.at[i].processes.at);
	for (size_t i = 0; i < s->groups.n; i++) {
		free(s->groups.at[i].title);
		free(s->groups.at[i].process);
	}
	for (size_t i = 0; i < s->addresses.n; i++)
		free((void *)s->addresses.at[i].text);
	void *const blocks[] = {s->networks.at, s->network_of, s->ends.at, s->addresses.at, s->connections.at,
		s->end_of.at, s->address_of.at, s->connection_of.at, s->outside_of.at, s->machine_of.at, s->talks.at,
		s->last, s->fault, s->pieces.at, s->out.at, s->in.at, s->forks.at, s->waits.at, s->pairs.at,
		s->from_first, s->from_pair, s->to_first, s->to_pair, s->listens.at, s->listen_ends.at, s->groups.at,
		s->uses.at, s->ready.at, s->stuck.at};
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		free(blocks[i]);
	free(s);
	m->sockets = NULL;
}
