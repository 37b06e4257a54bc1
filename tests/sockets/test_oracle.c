/* Random programs that talk, and what a simulated network did with it: no match that is not said to be ambiguous may be wrong, none may be missing.
 *
 * Processes of one or two hosts share sockets, with threads; datagrams are lost, doubled and overtaken, and many are equal; streams are cut into other
 * pieces than they were written in. A call has its effect at some time between its enter and its exit. Usage: test_oracle [SEEDS [CALLS]] */
#include "base/grow.h"
#include "world.h"

enum { LANES = 2, PROCS = 6, SOCKETS = 5, STREAMS = 4, QUEUE = 64 };

struct origin {
	int process, lane;
	uint32_t event;
};

struct packet {
	struct origin from;
	int source; /* socket */
	uint64_t hash, arrives;
	int64_t bytes;
};

struct udp {
	char end[64], address[32];
	bool owner[PROCS];
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
	bool owner[2][PROCS], pipe;
	struct chunk queue[2][QUEUE];
	int n[2];
};

struct truth {
	struct origin from, to;
};

struct sim {
	uint64_t seed, now, skew[2];
	int procs, hosts;
	struct world w;
	uint64_t free[PROCS][LANES];
	struct udp udp[SOCKETS];
	struct stream stream[STREAMS];
	struct truth *truth;
	size_t n, room;
};

static uint64_t pick(struct sim *s, uint64_t n) { return raw_random(&s->seed) % n; }
static int host(const struct sim *s, int process) { return s->hosts == 2 && process % 2; }

static bool owns(struct sim *s, bool *owner, int side)
{
	for (int p = 0; p < s->procs; p++)
		owner[p] = side == host(s, p) && pick(s, 2);
	for (int p = 0; p < s->procs; p++)
		if (side == host(s, p) && !pick(s, 2))
			return owner[p] = true;
	return owner[side] = true;
}

static void setup(struct sim *s, uint64_t seed)
{
	*s = (struct sim){.seed = seed * 0x9e3779b97f4a7c15u + 1, .n = 0};
	s->procs = 2 + (int)pick(s, PROCS - 1);
	s->hosts = 1 + (int)pick(s, 2);
	s->skew[1] = pick(s, 1000000000);
	s->now = 100000;
	world_begin(&s->w, s->procs);
	s->w.sealed = seed % 2;
	for (int p = 0; p < s->procs; p++) {
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
		int a = 0, b = s->hosts == 2 && !t->pipe;
		snprintf(t->end[0], sizeof t->end[0], t->pipe ? "pipe 7" : "tcp 10.0.0.%d:%d > 10.0.0.%d:80", a + 1,
			6000 + i, b + 1);
		snprintf(t->end[1], sizeof t->end[1], t->pipe ? "pipe 7" : "tcp 10.0.0.%d:80 > 10.0.0.%d:%d", b + 1,
			a + 1, 6000 + i);
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

static void keep(struct sim *s, struct origin from, struct origin to)
{
	if (!HB_GROW(s->truth, s->room, s->n + 1))
		abort();
	s->truth[s->n++] = (struct truth){from, to};
}

static void deliver(struct udp *u, struct packet p)
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
	if (best < 0 || !when(s, p, lane, &enter, &exit))
		return;
	struct packet got = u->queue[best];
	u->queue[best] = u->queue[--u->n];
	bool cut = got.bytes > 1 && !pick(s, 20);
	struct origin to = {p, lane,
		net_datagram(&s->w.p[p], lane, false, u->end, u->connected >= 0 ? NULL : s->udp[got.source].address,
			enter, exit, got.bytes - cut, cut ? 0 : got.hash)};
	keep(s, got.from, to);
}

static void write_stream(struct sim *s, struct stream *t, int side, int p, int lane)
{
	uint64_t enter, exit;
	int64_t bytes = 1 + (int64_t)pick(s, 100);
	if (t->n[side] == QUEUE || !when(s, p, lane, &enter, &exit))
		return;
	struct origin from = {p, lane, net_bytes(&s->w.p[p], lane, true, t->end[side], enter, exit, bytes, bytes)};
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
	while (got) {
		int64_t part = q[0].left < got ? q[0].left : got;
		keep(s, q[0].from, to);
		q[0].left -= part;
		got -= part;
		if (!q[0].left)
			memmove(q, q + 1, sizeof *q * (size_t)--t->n[from]);
	}
}

static void step(struct sim *s)
{
	int p = (int)pick(s, (uint64_t)s->procs), lane = pick(s, 4) ? 0 : 1;
	s->now += pick(s, 2) ? pick(s, 500) : pick(s, 100000);
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

/* ---- held against the model ---- */

struct verdict {
	uint64_t right, wrong, missing, doubted;
};

static bool same(struct origin a, struct origin b)
{
	return a.process == b.process && a.lane == b.lane && a.event == b.event;
}

static struct origin origin(const struct world *w, hb_at at)
{
	const hb_line *line = &hb_model_lines(w->m)[at.line];
	return (struct origin){(int)line->process, (int)line->lane, at.event};
}

static int by_ends(const void *a, const void *b) { return memcmp(a, b, sizeof(struct truth)); }

static bool is_true(const struct sim *s, struct truth t)
{
	return s->n && bsearch(&t, s->truth, s->n, sizeof t, by_ends);
}

/* The k-th send of a channel was received by its k-th receive, and those behind by none. */
static bool in_order(const struct world *w)
{
	for (uint32_t c = 0, n; c < hb_model_get_info(w->m)->channels; c++) {
		const uint32_t *list = hb_model_channel_sends(w->m, c, &n);
		for (uint32_t i = 1; i < n; i++) {
			uint32_t before = hb_model_sends(w->m)[list[i - 1]].receive,
				 now = hb_model_sends(w->m)[list[i]].receive;
			if (now != HB_NO && (before == HB_NO || before > now))
				return false;
		}
		if (hb_model_channels(w->m)[c].sent != n)
			return false;
	}
	return true;
}

static void compare(struct sim *s, struct verdict *v)
{
	const struct world *w = &s->w;
	const hb_receive *receive = hb_model_receives(w->m);
	uint32_t n = hb_model_get_info(w->m)->receives, found = 0;
	struct truth *told = calloc(n + 1, sizeof *told);
	bool *doubted = calloc(n + 1, sizeof *doubted);
	qsort(s->truth, s->n, sizeof *s->truth, by_ends);
	for (uint32_t i = 0; i < n; i++) {
		if (receive[i].send == HB_NO)
			continue;
		told[found] = (struct truth){
			origin(w, hb_send_at(w->m, receive[i].send)), origin(w, hb_receive_done(w->m, i))};
		doubted[found] = receive[i].flags & HB_AMBIGUOUS;
		v->doubted += doubted[found];
		bool yes = is_true(s, told[found]);
		v->right += yes && !doubted[found];
		v->wrong += !yes && !doubted[found];
		found++;
	}
	for (size_t i = 0; i < s->n; i++) {
		bool there = false;
		for (uint32_t k = 0; k < found && !there; k++)
			there = same(told[k].to, s->truth[i].to) &&
				(doubted[k] || same(told[k].from, s->truth[i].from));
		v->missing += !there;
	}
	free(told);
	free(doubted);
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 150, calls = argc > 2 ? (unsigned)atoi(argv[2]) : 600;
	struct verdict all = {0};
	uint64_t bad = 0, built = 0, ordered = 0;
	struct sim *s = malloc(sizeof *s);
	for (unsigned seed = 1; seed <= seeds && s; seed++) {
		struct verdict v = {0};
		setup(s, seed);
		for (unsigned i = 0; i < calls; i++)
			step(s);
		if (world_build(&s->w)) {
			built++;
			ordered += in_order(&s->w);
			compare(s, &v);
		}
		if (v.wrong || v.missing) {
			bad++;
			printf("  seed %u: %llu wrong, %llu missing\n", seed, (unsigned long long)v.wrong,
				(unsigned long long)v.missing);
			for (uint32_t i = 0; hb_model_trouble(s->w.m, i); i++)
				printf("    %s\n", hb_model_trouble(s->w.m, i));
		}
		all.right += v.right;
		all.wrong += v.wrong;
		all.missing += v.missing;
		all.doubted += v.doubted;
		world_end(&s->w);
		free(s->truth);
	}
	free(s);
	check(built == seeds, "%u random programs are read", seeds);
	check(ordered == seeds, "channels list what was sent in the order in which it was received");
	check(!all.wrong && !bad, "%llu matches are right, none that is not ambiguous is wrong (%llu)",
		(unsigned long long)all.right, (unsigned long long)all.wrong);
	check(!all.missing, "none is missing (%llu)", (unsigned long long)all.missing);
	check(all.doubted < all.right, "%llu are ambiguous", (unsigned long long)all.doubted);
	check_clean();
	return check_end();
}
