/* Connections. Of a stream only the numbers of its bytes are kept: a send is said when bytes are seen, or known, to be under way for the first
 * time, a receive when all before them have come. RFC 9293. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "foreign/packets/packets.h"

enum { TCP = 6 };
enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };
#define HEAD 20
#define WINDOW_MOST (1 << 30) /* RFC 7323: bytes that can be under way */

struct segment {
	uint32_t seq, ack;
	uint8_t flags;
	uint64_t length;
};

/* ---- bytes of a stream that came before those in front of them ---- */

/* False: out of memory. */
static bool ranges_add(struct hb__ranges *r, uint64_t from, uint64_t to)
{
	size_t i = r->n;
	while (i && r->at[i - 1].to >= from) /* the first that touches it, or lies behind it */
		i--;
	size_t k = i;
	for (; k < r->n && r->at[k].from <= to; k++) {
		from = r->at[k].from < from ? r->at[k].from : from;
		to = r->at[k].to > to ? r->at[k].to : to;
	}
	if (k == i) {
		if (!HB_GROW(r->at, r->cap, r->n + 1))
			return false;
		memmove(r->at + i + 1, r->at + i, (r->n - i) * sizeof *r->at);
		r->n++;
	} else if (k > i + 1) {
		memmove(r->at + i + 1, r->at + k, (r->n - k) * sizeof *r->at);
		r->n -= k - i - 1;
	}
	r->at[i] = (struct hb__range){from, to};
	return true;
}

/* Takes what follows on `from`, and what lies before it; returns where that ends. */
static uint64_t ranges_take(struct hb__ranges *r, uint64_t from)
{
	size_t n = 0;
	for (; n < r->n && r->at[n].from <= from; n++)
		from = r->at[n].to > from ? r->at[n].to : from;
	if (n)
		memmove(r->at, r->at + n, (r->n - n) * sizeof *r->at);
	r->n -= n;
	return from;
}

/* ---- events ---- */

/* What is known while a segment is taken. from: which side sent it. */
struct taking {
	struct hb__packets *p;
	struct hb__flow *flow;
	struct hb__connection *c;
	int from;
};

static void event(const struct taking *t, int side, enum hb__event what, uint32_t n, int64_t a, int64_t b)
{
	int64_t result[2] = {a, b};
	bool comes = what == HB_EVENT_RECV || what == HB_EVENT_ACCEPT;
	uint64_t enter = what == HB_EVENT_CONNECT && t->c->asked ? t->c->asked : t->p->tick;
	hb__host_event(
		t->p->hosts, t->flow->host[side], what, t->flow->end[side], enter, t->p->tick + comes, n, result);
}

/* The connection is there at its server: the end that listens has no peer. */
static void accepted(const struct taking *t)
{
	struct hb__flow *f = t->flow;
	int server = !t->c->client;
	char own[HB_ENDPOINT_TEXT], end[HB_ENDPOINT_TEXT + 8];
	hb__endpoint_text(f->e[server], own);
	snprintf(end, sizeof end, "tcp %s", own);
	int64_t result[2] = {0, f->end[server]};
	t->c->accepted = true;
	hb__host_event(t->p->hosts, f->host[server], HB_EVENT_ACCEPT, hb__host_text(t->p->hosts, f->host[server], end),
		t->p->tick, t->p->tick + 1, 2, result);
}

static void connected(const struct taking *t)
{
	t->c->connected = true;
	event(t, t->c->client, HB_EVENT_CONNECT, 1, 0, 0);
}

static void sent_to(const struct taking *t, int side, uint64_t to)
{
	struct hb__side *s = &t->c->side[side];
	if (to <= s->sent)
		return;
	event(t, side, HB_EVENT_SEND, 1, (int64_t)(to - s->sent), 0);
	s->sent = to;
}

/* All up to there has come to the other side. */
static void got_to(const struct taking *t, int side, uint64_t to)
{
	struct hb__side *s = &t->c->side[side];
	to = ranges_take(&s->early, to);
	if (to > s->got) {
		event(t, !side, HB_EVENT_RECV, 1, (int64_t)(to - s->got), 0);
		s->got = to;
	}
	if (s->ended && !s->read && s->got >= s->end) {
		s->read = true;
		event(t, !side, HB_EVENT_RECV, 2, 0, 1);
	}
	if (t->c->side[0].read && t->c->side[1].read)
		t->c->closed = true;
}

/* Bytes that came without having been captured. */
static void missed(const struct taking *t, int side, uint64_t to)
{
	struct hb__side *s = &t->c->side[side];
	uint64_t there = 0;
	for (size_t i = 0; i < s->early.n && s->early.at[i].from < to; i++)
		there += (s->early.at[i].to < to ? s->early.at[i].to : to) - s->early.at[i].from;
	t->p->missing += to - s->got - there;
	sent_to(t, side, to);
	got_to(t, side, to);
}

/* Where a sequence number is in the stream; it may be in front of it. */
static int64_t place(const struct hb__side *s, uint32_t seq)
{
	return (int64_t)s->got + (int32_t)(seq - (s->base + (uint32_t)s->got));
}

static void took_ack(const struct taking *t, uint32_t ack)
{
	int side = !t->from;
	struct hb__side *s = &t->c->side[side];
	if (!s->known) {
		s->known = true;
		s->base = ack;
		return;
	}
	int64_t to = place(s, ack);
	if (s->ended && to > (int64_t)s->end)
		to = (int64_t)s->end;
	if (to > (int64_t)s->got + WINDOW_MOST)
		t->p->stray++;
	else if (to > (int64_t)s->got)
		missed(t, side, (uint64_t)to);
}

static void took_data(const struct taking *t, uint32_t seq, uint64_t length, bool fin)
{
	struct hb__side *s = &t->c->side[t->from];
	int64_t from = place(s, seq), to = from + (int64_t)length;
	if (to > (int64_t)s->got + WINDOW_MOST || to < -WINDOW_MOST) {
		t->p->stray++;
		return;
	}
	if (s->ended && to > (int64_t)s->end) /* nothing comes behind the end */
		to = (int64_t)s->end;
	if (to > from && to > (int64_t)s->got) {
		uint64_t begin = from > (int64_t)s->got ? (uint64_t)from : s->got;
		sent_to(t, t->from, (uint64_t)to);
		if (!ranges_add(&s->early, begin, (uint64_t)to))
			t->p->failed = true;
	}
	if (fin && !s->ended && to >= (int64_t)s->sent) {
		sent_to(t, t->from, (uint64_t)to);
		s->ended = true;
		s->end = (uint64_t)to;
		event(t, t->from, HB_EVENT_SHUTDOWN, 2, 0, 1);
	}
	got_to(t, t->from, s->got);
	if (s->early.n > HB_RANGES_MOST)
		missed(t, t->from, s->early.at[0].from);
}

static void took_reset(const struct taking *t)
{
	struct hb__connection *c = t->c;
	struct hb__side *own = &c->side[t->from], *other = &c->side[!t->from];
	if (c->client == !t->from && !c->connected) {
		t->p->refused++;
		event(t, c->client, HB_EVENT_CONNECT, 1, -ECONNREFUSED, 0);
	} else if (own->known || other->known) {
		event(t, t->from, HB_EVENT_CLOSE, 1, 0, 0);
		if (!own->read)
			event(t, !t->from, HB_EVENT_RECV, 1, -ECONNRESET, 0);
	}
	c->closed = true;
}

/* What a connection leaves behind whose packets end here. */
static void leave(const struct taking *t)
{
	for (int side = 0; side < 2; side++) {
		struct hb__side *s = &t->c->side[side];
		if (!t->c->side[!side].seen && s->early.n) /* nobody says what came, then what was sent did */
			missed(t, side, s->early.at[s->early.n - 1].to);
		for (size_t i = 0; i < s->early.n; i++)
			t->p->undelivered += s->early.at[i].to - s->early.at[i].from;
		s->early.n = 0;
	}
	t->p->unanswered += t->c->client >= 0 && !t->c->connected && !t->c->closed;
}

static void begin(const struct taking *t, int client)
{
	struct hb__connection *c = t->c;
	struct hb__ranges early[2] = {c->side[0].early, c->side[1].early};
	if (c->side[0].known || c->side[1].known)
		leave(t);
	*c = (struct hb__connection){.client = client};
	for (int side = 0; side < 2; side++)
		c->side[side].early = (struct hb__ranges){early[side].at, 0, early[side].cap};
	t->p->connections++;
}

static void took_syn(const struct taking *t, const struct segment *s)
{
	struct hb__connection *c = t->c;
	struct hb__side *own = &c->side[t->from];
	bool answer = s->flags & ACK;
	bool same = own->known && own->base == s->seq + 1 && !c->closed;
	if (!same && (!answer || c->client != !t->from || own->known || c->closed))
		begin(t, answer ? !t->from : t->from);
	if (!same) {
		own->known = true;
		own->base = s->seq + 1;
		if (!answer)
			c->asked = t->p->tick;
	}
	own->seen = true;
	if (answer && !c->connected)
		connected(t);
}

static void took(const struct taking *t, const struct segment *s)
{
	struct hb__connection *c = t->c;
	bool syn = s->flags & SYN;
	if (syn)
		took_syn(t, s);
	if (c->closed)
		return;
	if (!syn && !c->side[0].known && !c->side[1].known) { /* it was open already */
		if (s->flags & RST)
			return;
		begin(t, -1);
		t->p->begun_before++;
	}
	struct hb__side *own = &c->side[t->from];
	own->seen = true;
	if (s->flags & RST) {
		took_reset(t);
		return;
	}
	if (!own->known) {
		own->known = true;
		own->base = s->seq;
	}
	/* Of the three packets that open it some may not have been captured. */
	if (!syn && c->client >= 0 && !c->connected)
		connected(t);
	if (!syn && c->client >= 0 && !c->accepted)
		accepted(t);
	if (s->flags & ACK)
		took_ack(t, s->ack);
	took_data(t, s->seq + syn, s->length, s->flags & FIN);
}

void hb__tcp(struct hb__packets *p, const struct hb__ip *ip)
{
	if (ip->have < HEAD) {
		p->shorts++;
		return;
	}
	size_t head = (ip->at[12] >> 4) * 4u;
	if (head < HEAD || head > ip->length || ip->many) {
		p->other++;
		return;
	}
	struct segment s = {.seq = hb__be32(ip->at + 4),
		.ack = hb__be32(ip->at + 8),
		.flags = ip->at[13],
		.length = ip->length - head};
	hb__endpoint from = {ip->from, hb__be16(ip->at)}, to = {ip->to, hb__be16(ip->at + 2)};
	struct taking t = {.p = p};
	t.flow = hb__flow_of(p->flows, from, to, TCP, false, &t.from);
	if (!t.flow) {
		p->failed = true;
		return;
	}
	t.c = t.flow->tcp;
	took(&t, &s);
}

void hb__tcp_end(struct hb__packets *p)
{
	for (struct hb__flow *f = hb__flows_last(p->flows); f; f = f->before) {
		struct taking t = {.p = p, .flow = f, .c = f->tcp};
		if (f->protocol == TCP)
			leave(&t);
	}
}
