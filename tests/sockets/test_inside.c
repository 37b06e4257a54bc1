/* Calls inside of which others are made, by chance: the order of their events against what truly happened.
 *
 * Every process has a connection with every other one. A write has its effect when it begins, and other calls may be made before it is over, as a
 * library of MPI does; a read has its effect when it ends. Truth is a graph of begins and ends. The begin of the first event that is over
 * inside of a call counts as the begin of the call (hb_entered). */
#include "world.h"

enum { PROCS = 4, DEEP = 3, MOST = 160, QUEUE = 160 };

struct call {
	int process, peer;
	uint32_t event, first; /* first: the first one that was over inside of it, or itself */
	int around;            /* the call that it was made inside of, -1 */
	int from;              /* of a read: the write whose bytes it got, -1 */
	bool write;
	uint64_t enter;
};

static struct world w;
static struct call call[MOST];
static int calls, open_call[PROCS][DEEP], depth[PROCS], queue[PROCS][PROCS][QUEUE], queued[PROCS][PROCS];
static bool before[2 * MOST][2 * MOST]; /* begin of call c: 2 c, its end: 2 c + 1 */
static int last_point[PROCS];
static unsigned state;

static unsigned chance(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

static const char *end_of(int own, int peer)
{
	static char name[4][64];
	static int turn;
	char *ret = name[turn++ % 4];
	snprintf(
		ret, sizeof name[0], "tcp 127.0.0.1:%d > 127.0.0.1:%d", 4000 + 10 * own + peer, 4000 + 10 * peer + own);
	return ret;
}

static void point(int process, int at)
{
	if (last_point[process] >= 0)
		before[last_point[process]][at] = true;
	last_point[process] = at;
}

static int begin_call(int p, int peer, bool write, uint64_t now)
{
	int around = depth[p] ? open_call[p][depth[p] - 1] : -1;
	call[calls] =
		(struct call){.process = p, .peer = peer, .around = around, .from = -1, .write = write, .enter = now};
	point(p, 2 * calls);
	return calls++;
}

static void end_call(int c, uint64_t now)
{
	struct call *k = &call[c];
	k->event = net_bytes(&w.p[k->process], 0, k->write, end_of(k->process, k->peer), k->enter, now, 10, 10);
	k->first = k->first ? k->first : k->event;
	if (k->around >= 0 && !call[k->around].first)
		call[k->around].first = k->first;
	point(k->process, 2 * c + 1);
	if (k->from >= 0)
		before[2 * k->from][2 * c + 1] = true;
}

static void act(int p, uint64_t now)
{
	int peer = (p + 1 + (int)chance(PROCS - 1)) % PROCS;
	unsigned what = chance(3);
	if (what == 0 && depth[p] < DEEP && calls < MOST - PROCS * DEEP) {
		int c = begin_call(p, peer, true, now);
		open_call[p][depth[p]++] = c;
		queue[p][peer][queued[p][peer]++] = c;
	} else if (what == 1 && depth[p]) {
		end_call(open_call[p][--depth[p]], now);
	} else if (queued[peer][p] && calls < MOST - PROCS * DEEP) {
		int c = begin_call(p, peer, false, now);
		call[c].from = queue[peer][p][0];
		memmove(queue[peer][p], queue[peer][p] + 1, (size_t)--queued[peer][p] * sizeof(int));
		end_call(c, now + 10);
	}
}

static void run(unsigned seed)
{
	uint64_t now = 1000;
	state = seed;
	calls = 0;
	memset(before, 0, sizeof before);
	memset(depth, 0, sizeof depth);
	memset(queued, 0, sizeof queued);
	memset(last_point, 0xff, sizeof last_point);
	world_begin(&w, PROCS);
	w.sealed = seed & 1;
	for (int i = 0; i < 600; i++, now += 100)
		act((int)chance(PROCS), now);
	for (int p = 0; p < PROCS; p++)
		while (depth[p])
			end_call(open_call[p][--depth[p]], now += 100);
	for (int a = 0; a < calls; a++) /* they count as begun together */
		for (int b = 0; b < calls; b++)
			if (call[a].process == call[b].process && call[b].first == call[a].event)
				before[2 * a][2 * b] = true;
	for (int k = 0; k < 2 * calls; k++)
		for (int i = 0; i < 2 * calls; i++)
			for (int j = 0; before[i][k] && j < 2 * calls; j++)
				before[i][j] = before[i][j] || before[k][j];
}

static hb_at at_of(int c) { return world_at(&w, call[c].process, 0, call[c].event); }

static bool is_chain(const hb_link *chain, size_t n, hb_at a, hb_at b)
{
	bool good = n && chain[0].from.line == a.line && chain[0].from.event == a.event &&
		    chain[n - 1].to.line == b.line && chain[n - 1].to.event == b.event;
	for (size_t i = 1; good && i < n; i++)
		good = chain[i - 1].to.line == chain[i].from.line && chain[i - 1].to.event == chain[i].from.event;
	return good;
}

static int wrong_orders(int *ret_chains)
{
	int wrong = 0;
	for (int a = 0; a < calls; a++)
		for (int b = 0; b < calls; b++) {
			bool forth = before[2 * a][2 * b + 1], back = before[2 * b][2 * a + 1], strict;
			hb_relation relation = HB_SAME, is = forth && back ? HB_TOGETHER
							     : forth       ? HB_BEFORE
							     : back        ? HB_AFTER
									   : HB_CONCURRENT;
			hb_link *chain = NULL;
			size_t n = 0;
			hb_error err;
			if (a == b)
				continue;
			wrong += hb_order_of(w.m, at_of(a), at_of(b), &relation, &strict, &chain, &n, &err) != HB_OK ||
				 relation != is;
			if (forth && !back) {
				wrong += strict != before[2 * a + 1][2 * b];
				*ret_chains += !is_chain(chain, n, at_of(a), at_of(b));
			}
			free(chain);
		}
	return wrong;
}

static int wrong_stamps;
static uint64_t exits[PROCS][MOST];

static bool stamp(void *user, const hb_stamp *s)
{
	(void)user;
	int own = 0;
	exits[s->at.line][s->at.event] = s->lamport;
	while (call[own].process != (int)s->at.line || call[own].event != s->at.event)
		own++;
	for (int a = 0; a < calls; a++)
		wrong_stamps += a != own && (s->clock[call[a].process] >= hb_entered(w.m, at_of(a)).event) !=
						    before[2 * a][2 * own + 1];
	return true;
}

static uint64_t exit_time(void *user, hb_at at)
{
	(void)user;
	return exits[at.line][at.event];
}

static int wrong_cones(void)
{
	int wrong = 0;
	for (int c = 0; c < calls; c++) {
		uint32_t first[2][PROCS] = {{0}}, event[2][PROCS];
		hb_stop stop[2][PROCS];
		hb_error err;
		if (hb_future(w.m, at_of(c), first[0], &err) ||
			hb_future_by(w.m, at_of(c), exit_time, NULL, first[1], &err) ||
			hb_cut(w.m, at_of(c), event[0], stop[0], &err) ||
			hb_cut_by(w.m, at_of(c), exit_time, NULL, event[1], stop[1], &err))
			return -1;
		wrong += memcmp(first[0], first[1], sizeof first[0]) != 0 ||
			 memcmp(event[0], event[1], sizeof event[0]) != 0;
		for (int b = 0; b < calls; b++) {
			uint32_t from = first[0][call[b].process];
			wrong += b != c && (from && call[b].event >= from) != before[2 * c][2 * b + 1];
		}
	}
	return wrong;
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 30;
	int orders = 0, chains = 0, cones = 0, against = 0, inside = 0, built = 0;
	for (unsigned seed = 1; seed <= seeds; seed++) {
		hb_error err;
		run(seed);
		built += world_build(&w) && hb_clocks_run(w.m, stamp, NULL, NULL, NULL, &err) == HB_OK;
		against += world_trouble(&w, "contradict");
		orders += wrong_orders(&chains);
		cones += wrong_cones();
		for (int c = 0; c < calls; c++)
			inside += call[c].around >= 0;
		world_end(&w);
	}
	check(built == (int)seeds && inside > 20 * built, "%d calls inside of others in %d worlds", inside, built);
	check(!against, "%d worlds contradict themselves", against);
	check(!orders, "%d orders of two events are wrong", orders);
	check(!chains, "%d chains prove nothing", chains);
	check(!wrong_stamps, "%d clocks are wrong", wrong_stamps);
	check(!cones, "%d pasts and futures are wrong", cones);
	check_clean();
	return check_end();
}
