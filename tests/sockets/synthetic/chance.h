/* Programs that talk by chance, and what a simulated network does with it: the calls that are recorded, and what truly happened.
 *
 * Processes of one or two hosts share sockets, with threads; datagrams are lost, doubled and overtaken, and many are equal; streams are cut into other
 * pieces than they were written in. Descriptors are passed on, processes end and others take their ports and connect anew by the same addresses, addresses
 * are translated on the way (then both sides talk to somebody outside), and processes ask which ends are ready. A call has its effect at some time between its
 * enter and its exit. */
#ifndef TESTS_SOCKETS_CHANCE_H
#define TESTS_SOCKETS_CHANCE_H

#include "base/grow.h"
#include "sockets/world.h"

enum { LANES = 2, PROCS = 6, EVER = 2 * PROCS, SOCKETS = 5, STREAMS = 4, QUEUE = 64 };
#define OUTSIDE "198.51.100.7:53"
#define MASKED "203.0.113.9:40000"

struct origin {
	int process, lane;
	uint32_t event;
};

struct packet {
	struct origin from;
	int source; /* socket */
	uint64_t hash, arrives;
	int64_t bytes;
	bool masked; /* its source was translated */
};

struct udp {
	char end[64], address[32];
	bool owner[EVER];
	int connected; /* to this socket; -1 */
	struct packet queue[QUEUE];
	int n;
};

struct chunk {
	struct origin from;
	int64_t left;
};

struct stream { /* both directions */
	char end[2][96];
	bool owner[2][EVER], pipe, masked;
	struct chunk queue[2][QUEUE];
	int n[2];
};

struct truth {
	struct origin from, to;
};

/* A call whose other side is not recorded. */
struct crossing {
	struct origin at;
	bool in;
	const char *name;
};

struct sim {
	uint64_t seed, now, skew[2];
	int procs, hosts; /* processes so far */
	int host_of[EVER];
	bool over[EVER];
	struct world w;
	uint64_t free[EVER][LANES];
	struct udp udp[SOCKETS];
	struct stream stream[STREAMS];
	struct truth *truth,
		*head; /* messages; what was there first when an end was said to be ready, and the call that said it */
	size_t n, room, heads, head_room;
	struct crossing *crossing;
	size_t crossings, crossing_room;
	uint64_t restarts, passed;
};

static uint64_t pick(struct sim *s, uint64_t n) { return raw_random(&s->seed) % n; }
static int host(const struct sim *s, int process) { return s->host_of[process]; }

static bool owns(struct sim *s, bool *owner, int side)
{
	for (int p = 0; p < s->procs; p++)
		owner[p] = side == host(s, p) && pick(s, 2);
	for (int p = 0; p < s->procs; p++)
		if (side == host(s, p) && !pick(s, 2))
			return owner[p] = true;
	return owner[side] = true;
}

static inline void setup(struct sim *s, uint64_t seed)
{
	*s = (struct sim){.seed = seed * 0x9e3779b97f4a7c15u + 1, .n = 0};
	s->procs = 2 + (int)pick(s, PROCS - 1);
	s->hosts = 1 + (int)pick(s, 2);
	s->skew[1] = pick(s, 1000000000);
	s->now = 100000;
	world_begin(&s->w, EVER);
	s->w.sealed = seed % 2;
	for (int p = 0; p < EVER; p++) {
		s->host_of[p] = s->hosts == 2 && p % 2;
		net_drop(&s->w.p[p]);
		net_begin(&s->w.p[p], 100u + (unsigned)p, host(s, p) ? "other" : "host", 1, 0);
	}
	for (int i = 0; i < SOCKETS; i++) {
		struct udp *u = &s->udp[i];
		int at = s->hosts == 2 ? i % 2 : 0;
		snprintf(u->address, sizeof u->address, "10.0.0.%d:%d", at + 1, 5000 + i);
		owns(s, u->owner, at);
		u->connected = i && !pick(s, 3) ? (int)pick(s, (uint64_t)i) : -1;
		if (u->connected >= 0)
			snprintf(u->end, sizeof u->end, "udp %s > %s", u->address, s->udp[u->connected].address);
		else if (pick(s, 2))
			snprintf(u->end, sizeof u->end, "udp %s", u->address);
		else
			snprintf(u->end, sizeof u->end, "udp 0.0.0.0:%d", 5000 + i);
	}
	for (int i = 0; i < STREAMS; i++) {
		struct stream *t = &s->stream[i];
		t->pipe = i == STREAMS - 1;
		t->masked = i == 1 && !pick(s, 3);
		int a = 0, b = s->hosts == 2 && !t->pipe;
		snprintf(t->end[0], sizeof t->end[0], t->pipe ? "pipe 7" : "tcp 10.0.0.%d:%d > 10.0.0.%d:80", a + 1,
			6000 + i, b + 1);
		snprintf(t->end[1], sizeof t->end[1], t->pipe ? "pipe 7" : "tcp 10.0.0.%d:80 > 10.0.0.%d:%d", b + 1,
			a + 1, 6000 + i);
		if (t->masked) {
			snprintf(t->end[0], sizeof t->end[0], "tcp 10.0.0.%d:%d > " OUTSIDE, a + 1, 6000 + i);
			snprintf(t->end[1], sizeof t->end[1], "tcp 10.0.0.%d:80 > " MASKED, b + 1);
		}
		owns(s, t->owner[0], a);
		owns(s, t->owner[1], b);
	}
}

/* The times of a call that has its effect now, as the clock of its host tells them. */
static bool when(struct sim *s, int p, int lane, uint64_t *ret_enter, uint64_t *ret_exit)
{
	if (s->free[p][lane] + 2 >= s->now)
		return false;
	uint64_t back = s->now - s->free[p][lane] - 1, most = pick(s, 3) ? 1000 : 60000;
	uint64_t enter = s->now - pick(s, back < most ? back : most),
		 exit = s->now + pick(s, pick(s, 3) ? 1000 : 60000);
	s->free[p][lane] = exit;
	*ret_enter = enter + s->skew[host(s, p)];
	*ret_exit = exit + s->skew[host(s, p)];
	return true;
}

static inline void keep(struct sim *s, struct origin from, struct origin to)
{
	if (!HB_GROW(s->truth, s->room, s->n + 1))
		abort();
	s->truth[s->n++] = (struct truth){from, to};
}

static inline void crosses(struct sim *s, struct origin at, bool in, const char *name)
{
	if (!HB_GROW(s->crossing, s->crossing_room, s->crossings + 1))
		abort();
	s->crossing[s->crossings++] = (struct crossing){at, in, name};
}

static inline void deliver(struct udp *u, struct packet p)
{
	if (u->n < QUEUE)
		u->queue[u->n++] = p;
}

static void send_datagram(struct sim *s, int i, int p, int lane)
{
	struct udp *u = &s->udp[i];
	uint64_t enter, exit;
	int to = u->connected >= 0 ? u->connected : (int)pick(s, SOCKETS);
	struct packet sent = {.source = i, .bytes = 1 + (int64_t)pick(s, 2)};
	sent.hash = pick(s, 3) ? raw_random(&s->seed) | 1 : 1 + pick(s, 2); /* many are equal */
	if (to == i || !when(s, p, lane, &enter, &exit))
		return;
	if (u->connected < 0 && !pick(s, 8)) {
		uint32_t event =
			net_datagram(&s->w.p[p], lane, true, u->end, OUTSIDE, enter, exit, sent.bytes, sent.hash);
		crosses(s, (struct origin){p, lane, event}, false, "udp " OUTSIDE);
		return;
	}
	sent.masked = s->udp[to].connected < 0 && !pick(s, 10);
	sent.from = (struct origin){p, lane,
		net_datagram(&s->w.p[p], lane, true, u->end, u->connected >= 0 ? NULL : s->udp[to].address, enter, exit,
			sent.bytes, sent.hash)};
	if (s->udp[to].connected >= 0 && s->udp[to].connected != i)
		return; /* refused */
	for (int copies = pick(s, 5) ? 1 : (int)pick(s, 3); copies > 0; copies--) {
		sent.arrives = s->now + (pick(s, 3) ? 10 : pick(s, 200000));
		deliver(&s->udp[to], sent);
	}
}

static void receive_datagram(struct sim *s, int i, int p, int lane)
{
	struct udp *u = &s->udp[i];
	uint64_t enter, exit;
	int best = -1;
	for (int k = 0; k < u->n; k++)
		if (u->queue[k].arrives <= s->now && (best < 0 || u->queue[k].arrives < u->queue[best].arrives))
			best = k;
	if ((best < 0 && (u->connected >= 0 || pick(s, 8))) || !when(s, p, lane, &enter, &exit))
		return;
	if (best < 0) { /* from somebody else, who may say the same as others do */
		uint32_t event = net_datagram(
			&s->w.p[p], lane, false, u->end, OUTSIDE, enter, exit, 1 + (int64_t)pick(s, 2), 1 + pick(s, 2));
		crosses(s, (struct origin){p, lane, event}, true, "udp " OUTSIDE);
		return;
	}
	struct packet got = u->queue[best];
	u->queue[best] = u->queue[--u->n];
	bool cut = got.bytes > 1 && !pick(s, 20);
	struct origin to = {p, lane,
		net_datagram(&s->w.p[p], lane, false, u->end,
			u->connected >= 0 ? NULL
			: got.masked      ? MASKED
					  : s->udp[got.source].address,
			enter, exit, got.bytes - cut, cut ? 0 : got.hash)};
	if (got.masked)
		crosses(s, to, true, "udp " MASKED);
	else
		keep(s, got.from, to);
}

static void write_stream(struct sim *s, struct stream *t, int side, int p, int lane)
{
	uint64_t enter, exit;
	int64_t bytes = 1 + (int64_t)pick(s, 100);
	if (t->n[side] == QUEUE || !when(s, p, lane, &enter, &exit))
		return;
	struct origin from = {p, lane, net_bytes(&s->w.p[p], lane, true, t->end[side], enter, exit, bytes, bytes)};
	if (t->masked)
		crosses(s, from, false, side ? "tcp " MASKED : "tcp " OUTSIDE);
	t->queue[side][t->n[side]++] = (struct chunk){from, bytes};
}

static void read_stream(struct sim *s, struct stream *t, int side, int p, int lane)
{
	uint64_t enter, exit;
	int from = t->pipe ? 0 : 1 - side;
	int64_t most = 1 + (int64_t)pick(s, 150), there = 0;
	struct chunk *q = t->queue[from];
	for (int k = 0; k < t->n[from]; k++)
		there += q[k].left;
	if (!there || !when(s, p, lane, &enter, &exit))
		return;
	int64_t got = there < most ? there : most;
	struct origin to = {p, lane, net_bytes(&s->w.p[p], lane, false, t->end[side], enter, exit, got, most)};
	if (t->masked)
		crosses(s, to, true, side ? "tcp " MASKED : "tcp " OUTSIDE);
	while (got) {
		int64_t part = q[0].left < got ? q[0].left : got;
		if (!t->masked)
			keep(s, q[0].from, to);
		q[0].left -= part;
		got -= part;
		if (!q[0].left)
			memmove(q, q + 1, sizeof *q * (size_t)--t->n[from]);
	}
}

/* ---- readiness ---- */

/* What is there first at an end that the process may take from. */
static const struct origin *head_of(struct sim *s, int p, int which)
{
	const struct packet *best = NULL;
	if (which >= SOCKETS) {
		struct stream *t = &s->stream[(which - SOCKETS) / 2];
		int side = (which - SOCKETS) % 2, from = t->pipe ? 0 : 1 - side;
		return t->owner[side][p] && !t->masked && (!t->pipe || side) && t->n[from] ? &t->queue[from][0].from
											   : NULL;
	}
	struct udp *u = &s->udp[which];
	for (int k = 0; k < u->n; k++)
		if (u->queue[k].arrives <= s->now && (!best || u->queue[k].arrives < best->arrives))
			best = &u->queue[k];
	return best && u->owner[p] && !best->masked ? &best->from : NULL;
}

static void ask(struct sim *s, int p, int lane)
{
	const char *end[3];
	const struct origin *head[3];
	uint64_t enter, exit;
	unsigned n = 0, first = (unsigned)pick(s, SOCKETS + 2 * STREAMS);
	for (unsigned i = 0; i < SOCKETS + 2 * STREAMS && n < 3; i++) {
		int which = (int)((first + i) % (SOCKETS + 2 * STREAMS));
		if (!(head[n] = head_of(s, p, which)))
			continue;
		end[n++] = which < SOCKETS ? s->udp[which].end
					   : s->stream[(which - SOCKETS) / 2].end[(which - SOCKETS) % 2];
	}
	if (!n || !when(s, p, lane, &enter, &exit))
		return;
	int64_t told[1 + 3 * 3] = {n};
	for (unsigned i = 0; i < n; i++) {
		told[1 + 3 * i] = 3 + i;
		told[2 + 3 * i] = 1;
		told[3 + 3 * i] = net_text(&s->w.p[p], end[i]);
	}
	struct origin at = {
		p, lane, net_call(&s->w.p[p], lane, NET_READY_poll, NULL, enter, exit, 1 + 3 * (int)n, told)};
	if (!HB_GROW(s->head, s->head_room, s->heads + n))
		abort();
	for (unsigned i = 0; i < n; i++)
		s->head[s->heads++] = (struct truth){*head[i], at};
}

/* ---- descriptors that are passed on, and processes that end ---- */

static void closes(struct sim *s, bool *owner, int p, const char *end)
{
	uint64_t enter, exit;
	if (!when(s, p, 0, &enter, &exit))
		return;
	owner[p] = false;
	net_call(&s->w.p[p], 0, NET_CONNECTION_close, end, enter, exit, 1, (int64_t[]){0});
}

/* Who gets it has had no call under way that worked on it. */
static void pass(struct sim *s, bool *owner, int p, const char *end)
{
	int q = (int)pick(s, (uint64_t)s->procs);
	if (!owner[p] || owner[q] || s->over[q] || host(s, p) != host(s, q))
		return;
	owner[q] = true;
	s->passed++;
	for (int lane = 0; lane < LANES; lane++)
		s->free[q][lane] = s->free[q][lane] < s->now ? s->now : s->free[q][lane];
	if (pick(s, 2))
		closes(s, owner, p, end);
}

/* Until their calls are over; NULL: those of all. */
static void settle(struct sim *s, const bool *owner)
{
	for (int p = 0; p < s->procs; p++)
		for (int lane = 0; lane < LANES && (!owner || owner[p]); lane++)
			s->now = s->now < s->free[p][lane] + 3 ? s->free[p][lane] + 3 : s->now;
}

/* The connection is over, and another one by the same addresses is made. */
static void reconnect(struct sim *s, struct stream *t, int client, int server)
{
	char listens[32];
	uint64_t late = 1 + pick(s, 3000), enter, exit;
	struct origin from = {client, 0, 0}, to = {server, 0, 0};
	for (int side = 0; side < 2; side++) {
		settle(s, t->owner[side]);
		for (int p = 0; p < s->procs; p++)
			if (t->owner[side][p])
				closes(s, t->owner[side], p, t->end[side]);
		settle(s, NULL);
		t->n[side] = 0;
	}
	t->owner[0][client] = t->owner[1][server] = true;
	s->now += 1 + pick(s, 100000);
	enter = s->now + s->skew[host(s, client)];
	from.event = net_call(&s->w.p[client], 0, NET_CONNECTION_connect, t->end[0], enter, enter + 1 + pick(s, 3000),
		1, (int64_t[]){0});
	enter = s->now + s->skew[host(s, server)] - (client == server ? 0 : pick(s, 2));
	exit = enter + 1 + late;
	snprintf(listens, sizeof listens, "tcp 10.0.0.%d:80", s->hosts == 2 ? 2 : 1);
	to.event = net_call(&s->w.p[server], client == server, NET_CONNECTION_accept, listens, enter, exit, 2,
		(int64_t[]){0, net_text(&s->w.p[server], t->end[1])});
	to.lane = client == server;
	s->now += 3020;
	for (int lane = 0; lane < LANES; lane++)
		s->free[client][lane] = s->free[server][lane] = s->now;
	if (!t->masked)
		keep(s, from, to);
}

static int owner_of(const bool *owner)
{
	for (int p = 0; p < EVER; p++)
		if (owner[p])
			return p;
	return -1;
}

/* A process is over, and another one takes its ports. */
static void restart(struct sim *s, int p)
{
	int q = s->procs;
	if (q == EVER)
		return;
	settle(s, NULL);
	s->procs++;
	s->restarts++;
	s->over[p] = true;
	s->host_of[q] = host(s, p);
	net_drop(&s->w.p[q]);
	net_begin(&s->w.p[q], 100u + (unsigned)q, host(s, q) ? "other" : "host", 1, s->now + s->skew[host(s, q)]);
	for (int lane = 0; lane < LANES; lane++)
		s->free[q][lane] = s->now;
	for (int i = 0; i < SOCKETS; i++) {
		bool *owner = s->udp[i].owner, had = owner[p];
		owner[p] = false;
		s->udp[i].n = had && owner_of(owner) < 0 ? 0 : s->udp[i].n;
		owner[q] = had;
	}
	for (int i = 0; i < STREAMS; i++) {
		struct stream *t = &s->stream[i];
		for (int side = 0; side < 2; side++) {
			bool had = t->owner[side][p];
			t->owner[side][p] = false;
			int other = owner_of(t->owner[1 - side]);
			if (had && !t->pipe && owner_of(t->owner[side]) < 0 && other >= 0)
				reconnect(s, t, side ? other : q, side ? q : other);
		}
	}
}

/* Connections are made before anything goes through them; who has an end later got it from who made it. */
static inline void begin(struct sim *s)
{
	for (int i = 0; i < STREAMS; i++) {
		struct stream *t = &s->stream[i], was = *t;
		if (t->pipe)
			continue;
		memset(t->owner, 0, sizeof t->owner);
		reconnect(s, t, owner_of(was.owner[0]), owner_of(was.owner[1]));
		memcpy(t->owner, was.owner, sizeof t->owner);
	}
	for (int p = 0; p < s->procs; p++)
		for (int lane = 0; lane < LANES; lane++)
			s->free[p][lane] = s->now;
}

static void odd(struct sim *s, int p)
{
	int i = (int)pick(s, SOCKETS + STREAMS), side = (int)pick(s, 2);
	struct stream *t = &s->stream[i % STREAMS];
	if (!pick(s, 20))
		restart(s, p);
	else if (!pick(s, 12) && !t->pipe && t->owner[side][p] && owner_of(t->owner[1 - side]) >= 0)
		reconnect(s, t, side ? owner_of(t->owner[0]) : p, side ? p : owner_of(t->owner[1]));
	else if (i < SOCKETS)
		pass(s, s->udp[i].owner, p, s->udp[i].end);
	else
		pass(s, t->owner[side], p, t->end[side]);
}

static inline void step(struct sim *s)
{
	int p = (int)pick(s, (uint64_t)s->procs), lane = pick(s, 4) ? 0 : 1;
	s->now += pick(s, 2) ? pick(s, 500) : pick(s, 100000);
	if (s->over[p])
		return;
	if (!pick(s, 12)) {
		if (pick(s, 3))
			ask(s, p, lane);
		else
			odd(s, p);
		return;
	}
	if (pick(s, 2)) {
		int i = (int)pick(s, SOCKETS);
		if (s->udp[i].owner[p] && pick(s, 2))
			send_datagram(s, i, p, lane);
		else if (s->udp[i].owner[p])
			receive_datagram(s, i, p, lane);
		return;
	}
	struct stream *t = &s->stream[pick(s, STREAMS)];
	int side = (int)pick(s, 2);
	bool out = t->pipe ? side == 0 : pick(s, 2);
	if (!t->owner[side][p])
		return;
	if (out)
		write_stream(s, t, side, p, lane);
	else
		read_stream(s, t, side, p, lane);
}

#endif
