/* Datagrams: who received what somebody sent, by protocol, ports, length and hash, among those whose addresses may be each other's.
 *
 * A network may lose, double and overtake, so equal datagrams are not told apart: one that was received may be any that was sent before it. Where
 * there is only one such, that is it, as often as it was received; else the first one that has not been received yet is shown, and said to be ambiguous.
 * Unix sockets lose and overtake nothing: there the k-th is the k-th, unless calls of several threads overlapped. */
#include "model/match/sockets/sockets.h"

/* Datagrams that may be each other's but for their source: places [s, send) of `out` and [r, rend) of `in`. */
struct alike {
	struct hb__sockets *s;
	struct hb__datagram *out, *in;
	size_t nout, nin;
	bool by_source; /* `out` is sorted by source port, then by time; else by time alone */
	bool in_order;  /* nothing is lost or overtakes */
};

static uint32_t port(const struct hb__sockets *s, uint32_t address)
{
	return address == HB_NO ? 0 : s->addresses.at[address].port;
}

static uint16_t protocol(const struct hb__sockets *s, const struct hb__datagram *d)
{
	return s->ends.at[d->end].protocol;
}

#define COMPARE(a, b)   \
	if ((a) != (b)) \
	return (a) < (b) ? -1 : 1

static int compare_contents(const struct hb__sockets *s, const struct hb__datagram *x, const struct hb__datagram *y)
{
	COMPARE(protocol(s, x), protocol(s, y));
	COMPARE(port(s, x->to), port(s, y->to));
	COMPARE(x->hash, y->hash);
	COMPARE(x->bytes, y->bytes);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct hb__datagram *x = a, *y = b;
	COMPARE(x->time, y->time);
	COMPARE(x->talk, y->talk);
	return x < y ? -1 : x > y;
}

static int by_contents(const void *a, const void *b, void *sockets)
{
	const struct hb__datagram *x = a, *y = b;
	int c = compare_contents(sockets, x, y);
	if (c)
		return c;
	COMPARE(port(sockets, x->from), port(sockets, y->from));
	return by_time(a, b);
}

static int by_end(const void *a, const void *b, void *sockets)
{
	const struct hb__datagram *x = a, *y = b;
	int c = compare_contents(sockets, x, y);
	if (c)
		return c;
	COMPARE(x->end, y->end);
	COMPARE(port(sockets, x->from), port(sockets, y->from));
	return by_time(a, b);
}

static int by_end_time(const void *a, const void *b)
{
	const struct hb__datagram *x = a, *y = b;
	COMPARE(x->end, y->end);
	return by_time(a, b);
}

/* ---- whether one may be the other ---- */

bool hb__may_be_of(const struct hb__sockets *s, const struct hb__datagram *sent, const struct hb__datagram *got)
{
	const struct hb__address *to = sent->to == HB_NO ? NULL : &s->addresses.at[sent->to];
	const struct hb__address *own = got->to == HB_NO ? NULL : &s->addresses.at[got->to];
	uint32_t network = s->network_of[got->process];
	if (!to || !hb__may_be(s, sent->from, got->from))
		return false;
	if ((to->loopback || to->family == HB__NAME || (own && own->loopback)) &&
		s->network_of[sent->process] != network)
		return false;
	if (to->many && own && own->many)
		return own->port == to->port && !memcmp(own->ip, to->ip, sizeof to->ip);
	if (to->many)
		return !own || !own->port || !to->port || own->port == to->port;
	return (!own || !own->many) && hb__may_be(s, sent->to, got->to);
}

bool hb__in_time(const struct hb__sockets *s, const struct hb__datagram *sent, const struct hb__datagram *got)
{
	if (hb__clock_of(s, sent->process) != hb__clock_of(s, got->process))
		return true;
	return sent->time <= got->time + hb__slack(s, sent->process, got->process);
}

/* An end with a peer gets from this one alone. What was sent to one and came to several ends is right at one of them at most. */
uint32_t hb__give(struct hb__sockets *s, struct hb__datagram *sent, struct hb__datagram *got, bool ambiguous)
{
	uint32_t id = hb__pair_of(s, sent->talk, got->talk, sent->bytes, hb__group_of_end(s, got->end));
	if (s->no_memory)
		return id;
	s->pairs.at[id].put = sent->place;
	s->pairs.at[id].got = got->place;
	/* one like it may be among those that a ring gave up */
	s->pairs.at[id].ambiguous = ambiguous || s->m->rings;
	s->pairs.at[id].twice = sent->taken == 1 + got->end;
	s->pairs.at[id].wild = !s->ends.at[got->end].paired;
	sent->doubt |= sent->taken && sent->taken != 1 + got->end && !s->addresses.at[sent->to].many;
	sent->taken = 1 + got->end;
	got->pair = id;
	if (sent->pair == HB_NO)
		sent->pair = id;
	return id;
}

/* ---- equal ones ---- */

struct candidates {
	struct hb__datagram *at, *end;
};

/* Those with the source port, in the order of time. */
static struct candidates from_port(const struct alike *a, uint32_t wanted)
{
	size_t bounds[2];
	for (int i = 0; i < 2; i++) {
		size_t low = 0, high = a->nout;
		while (low < high) {
			size_t mid = low + (high - low) / 2;
			uint32_t p = port(a->s, a->out[mid].from);
			if (p < wanted || (i && p == wanted))
				low = mid + 1;
			else
				high = mid;
		}
		bounds[i] = low;
	}
	return (struct candidates){a->out + bounds[0], a->out + bounds[1]};
}

struct choice {
	struct hb__datagram *first, *last; /* that no receive of this end has taken yet; of all */
	uint32_t n;                        /* that it may be: 0, 1, or more */
};

/* Looks no further than it takes: the first ones have been taken mostly, and what was sent too late ends it. */
static void choose(const struct alike *a, struct candidates c, const struct hb__datagram *got, struct choice *ret)
{
	for (struct hb__datagram *d = c.at; d < c.end && !(ret->n > 1 && ret->first); d++) {
		bool late = !hb__in_time(a->s, d, got);
		bool same = hb__clock_of(a->s, d->process) == hb__clock_of(a->s, got->process);
		if (late && same && d->time > got->time + HB__SLACK + 2 * a->s->most_fault)
			break;
		if (late || !hb__may_be_of(a->s, d, got))
			continue;
		ret->n++;
		ret->last = d;
		if (d->taken != 1 + got->end && (!ret->first || d->time < ret->first->time))
			ret->first = d;
	}
}

/* What this end has taken stands in front mostly: but for two they are passed over, for more than one candidate is as many as all. Where that was
 * too few, all are looked at. */
static void choose_from(const struct alike *a, struct candidates c, const struct hb__datagram *got,
	struct hb__datagram **front, struct choice *ret)
{
	const struct choice was = *ret;
	struct hb__datagram *d = *front && *front >= c.at && *front < c.end ? *front : c.at;
	while (d < c.end && d->taken == 1 + got->end)
		d++;
	*front = d;
	size_t passed = d - c.at > 2 ? (size_t)(d - c.at) - 2 : 0;
	choose(a, (struct candidates){c.at + passed, c.end}, got, ret);
	if (!passed || ret->n > 1)
		return;
	*ret = was;
	choose(a, c, got, ret);
}

static void match_one(struct alike *a, struct hb__datagram *got, struct hb__datagram *front[2])
{
	uint32_t source = port(a->s, got->from);
	struct choice choice = {0};
	if (a->by_source && source) {
		choose_from(a, from_port(a, source), got, &front[0], &choice);
		choose_from(a, from_port(a, 0), got, &front[1], &choice);
	} else {
		choose_from(a, (struct candidates){a->out, a->out + a->nout}, got, &front[0], &choice);
	}
	struct hb__datagram *sent = choice.first ? choice.first : choice.last;
	if (!sent)
		return;
	hb__give(a->s, sent, got, choice.n > 1 && !a->in_order);
	got->taken = (uint32_t)(sent - a->out);
}

/* Calls of several lines that overlap: their order is not known. */
static bool overlap(const struct hb__sockets *s, const struct hb__datagram *d, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct hb__talk *x = hb__talk_of(s, d[i - 1].talk), *y = hb__talk_of(s, d[i].talk);
		if (x->line != y->line && x->exit + hb__slack(s, d[i - 1].process, d[i].process) > y->enter)
			return true;
	}
	return false;
}

/* Of Unix sockets, when all are there and their order is known. */
static bool in_order(const struct alike *a)
{
	return protocol(a->s, a->out) == HB__LOCAL && a->nin == a->nout && !overlap(a->s, a->out, a->nout) &&
	       !overlap(a->s, a->in, a->nin) && a->in[0].end == a->in[a->nin - 1].end;
}

static void match_alike(struct alike *a)
{
	struct hb__datagram *front[2] = {NULL, NULL};
	bool sourceless = false;
	for (size_t i = 0; i < a->nin; i++)
		sourceless = sourceless || !port(a->s, a->in[i].from);
	a->by_source = !sourceless;
	if (sourceless) {
		qsort(a->out, a->nout, sizeof *a->out, by_time);
		qsort(a->in, a->nin, sizeof *a->in, by_end_time);
	}
	a->in_order = in_order(a);
	for (size_t i = 0; i < a->nin && !a->s->no_memory; i++) {
		if (i && a->in[i].end != a->in[i - 1].end)
			front[0] = front[1] = NULL;
		match_one(a, &a->in[i], front);
	}
	for (size_t i = 0; i < a->nin && !a->s->no_memory; i++)
		if (a->in[i].pair != HB_NO && a->out[a->in[i].taken].doubt)
			a->s->pairs.at[a->in[i].pair].ambiguous = true;
}

void hb__match_datagrams(struct hb__sockets *s)
{
	struct hb__datagram *out = s->out.at, *in = s->in.at;
	if (s->out.n)
		qsort_r(out, s->out.n, sizeof *out, by_contents, s);
	if (s->in.n)
		qsort_r(in, s->in.n, sizeof *in, by_end, s);
	for (size_t i = 0, k = 0; i < s->out.n && k < s->in.n && !s->no_memory;) {
		int c = compare_contents(s, &out[i], &in[k]);
		size_t n = 0, m = 0;
		while (c <= 0 && i + n < s->out.n && !compare_contents(s, &out[i + n], &out[i]))
			n++;
		while (c >= 0 && k + m < s->in.n && !compare_contents(s, &in[k + m], &in[k]))
			m++;
		if (!c && in[k].hash)
			match_alike(&(struct alike){.s = s, .out = out + i, .in = in + k, .nout = n, .nin = m});
		i += n;
		k += m;
	}
	hb__match_cut(s);
	hb__tell_strays(s);
}
