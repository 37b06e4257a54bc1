/* Datagrams that were cut when they were received, whose contents tell nothing, and those that have no other side. */
#include "model/match/sockets/sockets.h"

static uint32_t port(const struct hb__sockets *s, uint32_t address)
{
	return address == HB_NO ? 0 : s->addresses.at[address].port;
}

static uint64_t place(const struct hb__sockets *s, const struct hb__datagram *d)
{
	return (uint64_t)s->ends.at[d->end].protocol << 32 | port(s, d->to);
}

static int by_place(const void *a, const void *b, void *sockets)
{
	const struct hb__datagram *x = a, *y = b;
	uint64_t p = place(sockets, x), q = place(sockets, y);
	if (p != q)
		return p < q ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->talk < y->talk ? -1 : x->talk > y->talk;
}

/* The only one that was longer and may be it; where there are more, the first that nobody got. */
static void match_one(
	struct hb__sockets *s, struct hb__datagram *at, struct hb__datagram *end, struct hb__datagram *got)
{
	struct hb__datagram *first = NULL, *any = NULL;
	uint32_t n = 0;
	for (struct hb__datagram *d = at; d < end && !(n > 1 && first); d++) {
		if (d->bytes <= got->bytes || !hb__in_time(s, d, got) || !hb__may_be_of(s, d, got))
			continue;
		n++;
		any = d;
		if (d->pair == HB_NO || (d->taken != 1 + got->end && s->addresses.at[d->to].many))
			first = first ? first : d;
	}
	if (first || any)
		hb__give(s, first ? first : any, got, n > 1);
}

void hb__match_cut(struct hb__sockets *s)
{
	struct hb__datagram *out = s->out.at, *in = s->in.at;
	bool any = false;
	for (size_t i = 0; i < s->in.n && !any; i++)
		any = !in[i].hash;
	if (!any || !s->out.n)
		return;
	qsort_r(out, s->out.n, sizeof *out, by_place, s);
	qsort_r(in, s->in.n, sizeof *in, by_place, s);
	for (size_t k = 0, first = 0, end = 0; k < s->in.n && !s->no_memory; k++) {
		uint64_t p = place(s, &in[k]);
		while (first < s->out.n && place(s, &out[first]) < p)
			first++;
		for (end = end < first ? first : end; end < s->out.n && place(s, &out[end]) == p;)
			end++;
		if (!in[k].hash)
			match_one(s, out + first, out + end, &in[k]);
	}
}

/* ---- strays ---- */

struct by_port {
	uint64_t key; /* protocol and port */
	uint32_t end;
};

static int by_key(const void *a, const void *b)
{
	const struct by_port *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* A recorded end at which an address is, for sure; HB_NO: none. */
static uint32_t end_at(const struct hb__sockets *s, const struct by_port *list, size_t n, uint64_t protocol,
	uint32_t address, uint32_t network)
{
	size_t low = 0, high = n;
	uint64_t key = protocol << 32 | port(s, address);
	const struct hb__address *a = &s->addresses.at[address];
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (list[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < n && list[low].key == key; low++) {
		const struct hb__socket_end *e = &s->ends.at[list[low].end];
		bool here = !(a->loopback || a->family == HB__NAME) || e->network == network;
		if (here && hb__may_be(s, address, e->own) && hb__of_machine(s, address, e->network))
			return list[low].end;
	}
	return HB_NO;
}

static const char *word(uint16_t protocol)
{
	return protocol == 17 ? "udp " : protocol == HB__LOCAL ? "unixgram " : "ip ";
}

static void tell_out(struct hb__sockets *s, const struct by_port *list, size_t n, const struct hb__datagram *d)
{
	uint16_t protocol = s->ends.at[d->end].protocol;
	uint32_t end = d->to == HB_NO ? HB_NO : end_at(s, list, n, protocol, d->to, s->network_of[d->process]);
	if (end == HB_NO) {
		hb__crosses(s, hb__outside(s, d->process, word(protocol), d->to), d->talk, d->bytes, false);
		return;
	}
	uint32_t id = hb__pair_of(s, d->talk, HB_NO, d->bytes, hb__group_of_end(s, end));
	if (!s->no_memory)
		s->pairs.at[id].dest = s->ends.at[end].processes.at[0];
}

static void tell_in(struct hb__sockets *s, const struct by_port *list, size_t n, const struct hb__datagram *d,
	const struct hb__datagram **stray)
{
	uint16_t protocol = s->ends.at[d->end].protocol;
	uint32_t end = d->from == HB_NO ? HB_NO : end_at(s, list, n, protocol, d->from, s->network_of[d->process]);
	if (end == HB_NO) {
		hb__crosses(s, hb__outside(s, d->process, word(protocol), d->from), d->talk, d->bytes, true);
		return;
	}
	*stray = *stray ? *stray : d;
	s->strays++;
}

void hb__tell_strays(struct hb__sockets *s)
{
	const struct hb__datagram *stray = NULL;
	struct by_port *list = malloc((s->ends.n + 1) * sizeof *list);
	size_t n = 0;
	for (uint32_t i = 0; list && i < s->ends.n; i++) {
		const struct hb__socket_end *e = &s->ends.at[i];
		if (e->kind == HB__END_DATAGRAM && port(s, e->own))
			list[n++] = (struct by_port){(uint64_t)e->protocol << 32 | port(s, e->own), i};
	}
	if (n)
		qsort(list, n, sizeof *list, by_key);
	for (size_t i = 0; list && i < s->out.n && !s->no_memory; i++)
		if (s->out.at[i].pair == HB_NO)
			tell_out(s, list, n, &s->out.at[i]);
	for (size_t i = 0; list && i < s->in.n && !s->no_memory; i++)
		if (s->in.at[i].pair == HB_NO)
			tell_in(s, list, n, &s->in.at[i], &stray);
	s->no_memory = s->no_memory || !list;
	free(list);
	if (!stray)
		return;
	s->m->info.open = true;
	hb__model_trouble(s->m,
		"%u datagrams came from sockets of recorded processes, and none of these is recorded to have sent them (the first at %s, from %s): the order that results "
		"from them is not known",
		s->strays, s->ends.at[stray->end].name, s->addresses.at[stray->from].text);
}
