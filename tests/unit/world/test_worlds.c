/* Random worlds that meet at ports, written as logs: what is found out from these against who really met whom. */
#include <string.h>

#include "check.h"
#include "model/world/world.h"
#include "rawlog.h"

#define WORLDS 6
#define PROCS 4
#define MEETINGS 40
#define EPOCH UINT64_C(1700000000000000000)

struct person {
	int world, rank, of; /* of: processes of its world */
	struct raw_log raw;
	int comms, strangers;
	int met[WORLDS][PROCS];               /* number of the stranger, -1: not met */
	int truth[WORLDS * PROCS * MEETINGS]; /* by stranger: world * PROCS + rank */
	hb_log *log;
	bool missing;
};

struct scene {
	uint64_t seed, clock;
	int worlds, size[WORLDS];
	uint64_t free_at[WORLDS]; /* when the last call of its processes returned */
	bool again;               /* a library that knows whom it has met */
	struct person person[WORLDS][PROCS];
};

static uint32_t some(struct scene *s, uint32_t below) { return (uint32_t)(raw_random(&s->seed) >> 33) % below; }

static void begin(struct scene *s, int world, int rank)
{
	struct person *p = &s->person[world][rank];
	char name[32];
	p->world = world, p->rank = rank, p->of = s->size[world], p->comms = 2, p->strangers = 0;
	memset(p->met, 0xff, sizeof p->met);
	raw_begin(&p->raw, HB_LEVEL_EVENTS);
	raw_header(&p->raw)->rank = rank;
	raw_header(&p->raw)->size = s->size[world];
	raw_lane(&p->raw, 0, 5);
	snprintf(name, sizeof name, "world %d", world);
	uint8_t b[128], *w = raw_text(b, name);
	w = hb_put_sv(raw_text(hb_put_uv(w, 0), ""), -1);
	w = hb_put_uv(w, EPOCH + (uint64_t)world);
	raw_definition(&p->raw, RAW_LANES, HB_DEF_PROCESS, b, (size_t)(w - b));
}

static int stranger(struct scene *s, struct person *p, int world, int rank)
{
	int *met = &p->met[world][rank];
	if (*met < 0 || !s->again) {
		*met = p->strangers;
		p->truth[p->strangers++] = world * PROCS + rank;
	}
	return -2 - *met;
}

/* A new intercommunicator of all of the process's world to all of another one. */
static void bridge(struct scene *s, struct person *p, int other, int kind, int root, const char *port, uint64_t entered,
	uint64_t returned)
{
	uint8_t b[512], *w = hb_put_uv(b, (unsigned)p->comms);
	w = hb_put_uv(hb_put_sv(w, 0), (unsigned)p->comms);
	w = hb_put_uv(hb_put_uv(hb_put_sv(w, 0), (unsigned)p->rank), 1);
	w = hb_put_uv(w, (unsigned)p->of);
	for (int i = 0; i < p->of; i++)
		w = hb_put_sv(w, i ? 1 : 0);
	w = hb_put_uv(w, (unsigned)s->size[other]);
	for (int i = 0, before = 0; i < s->size[other]; i++) {
		int now = stranger(s, p, other, i);
		w = hb_put_sv(w, now - before);
		before = now;
	}
	raw_definition(&p->raw, RAW_LANES, HB_DEF_COMM, b, (size_t)(w - b));
	w = hb_put_sv(hb_put_uv(hb_put_uv(b, (unsigned)p->comms++), (unsigned)kind), root);
	w = raw_text(hb_put_uv(hb_put_uv(w, EPOCH + entered), EPOCH + returned), p->rank == root ? port : "");
	raw_definition(&p->raw, RAW_LANES, HB_DEF_BRIDGE, b, (size_t)(w - b));
}

/* One world accepts at its port, another one connects: both after their last calls, and perhaps long before they meet. */
static void meet(struct scene *s, int a, int c)
{
	char port[32];
	int root_a = (int)some(s, (uint32_t)s->size[a]), root_c = (int)some(s, (uint32_t)s->size[c]);
	uint64_t a_came = s->free_at[a] + some(s, 50), c_came = s->free_at[c] + some(s, 50),
		 at = (a_came > c_came ? a_came : c_came) + some(s, 20), last_a = at, last_c = at;
	snprintf(port, sizeof port, "port %d", a);
	for (int i = 0; i < s->size[a]; i++) {
		uint64_t back = at + some(s, 30);
		bridge(s, &s->person[a][i], c, 3, root_a, port, a_came, back);
		last_a = back > last_a ? back : last_a;
	}
	for (int i = 0; i < s->size[c]; i++) {
		uint64_t back = at + some(s, 30);
		bridge(s, &s->person[c][i], a, 4, root_c, port, c_came, back);
		last_c = back > last_c ? back : last_c;
	}
	s->free_at[a] = last_a;
	s->free_at[c] = last_c;
}

/* Opens all logs that are not missing. */
static size_t open_all(struct scene *s, hb_log_named *logs, struct person **who)
{
	size_t n = 0;
	for (int w = 0; w < s->worlds; w++)
		for (int r = 0; r < s->size[w]; r++) {
			struct person *p = &s->person[w][r];
			char name[48];
			hb_error err;
			snprintf(name, sizeof name, "%d.%d", w, r);
			raw_save(&p->raw, check_path(name));
			raw_free(&p->raw);
			if (p->missing)
				continue;
			if (hb_log_open(check_path(name), &p->log, &err))
				check(false, "a log opens: %s", err.message);
			who[n] = p;
			logs[n++] = (hb_log_named){p->log, r, w ? 100 + (uint32_t)w : 0};
		}
	return n;
}

struct verdict {
	unsigned known, wrong, unknown, by_time;
};

static struct verdict look(const struct person *const *who, const hb_log_named *logs, size_t n)
{
	struct verdict v = {0};
	hb_worlds w;
	if (!hb_worlds_find(logs, n, &w))
		v.wrong++;
	v.by_time = w.by_time;
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < who[i]->strangers; k++) {
			hb_named_process p = hb_worlds_member(&w, i, -2 - k);
			bool known = p.world != HB_NO;
			v.unknown += !known;
			v.known += known;
			for (size_t other = 0; known && other < n; other++)
				if (w.of[other] == p.world && logs[other].rank == p.rank)
					v.wrong += who[other]->world * PROCS + who[other]->rank != who[i]->truth[k];
		}
	hb_worlds_free(&w, n);
	return v;
}

static struct verdict scene(uint64_t seed, int busy, bool lose)
{
	static struct scene s;
	struct person *who[WORLDS * PROCS];
	hb_log_named logs[WORLDS * PROCS];
	s = (struct scene){.seed = seed * 0x9e3779b97f4a7c15u + 1, .worlds = 2 + (int)(seed % (WORLDS - 1))};
	s.again = some(&s, 2);
	for (int w = 0; w < s.worlds; w++)
		s.size[w] = 1 + (int)some(&s, PROCS);
	for (int w = 0; w < s.worlds; w++)
		for (int r = 0; r < s.size[w]; r++)
			begin(&s, w, r);
	for (int i = 0; i < MEETINGS; i++) {
		/* not busy: any two, so that ports have few who wait at once; busy: all call the first */
		int a = busy ? 0 : (int)some(&s, (uint32_t)s.worlds),
		    c = busy ? 1 + (int)some(&s, (uint32_t)s.worlds - 1) : (a + 1) % s.worlds;
		meet(&s, a, c);
	}
	for (int r = 0; lose && r < PROCS; r++)
		s.person[s.worlds - 1][r].missing = true;
	size_t n = open_all(&s, logs, who);
	struct verdict v = look((const struct person *const *)who, logs, n);
	for (size_t i = 0; i < n; i++)
		hb_log_close(who[i]->log);
	check_clean();
	return v;
}

int main(void)
{
	struct verdict sum[2][2] = {0};
	unsigned wrong = 0, left = 0;
	for (uint64_t seed = 1; seed <= 120; seed++)
		for (int busy = 0; busy < 2; busy++)
			for (int lose = 0; lose < 2; lose++) {
				struct verdict v = scene(seed, busy, lose), *t = &sum[busy][lose];
				t->known += v.known, t->unknown += v.unknown;
				t->by_time += v.by_time, t->wrong += v.wrong;
				wrong += v.by_time ? 0 : v.wrong;
				left += !lose && !v.by_time ? v.unknown : 0;
			}
	for (int busy = 0; busy < 2; busy++)
		for (int lose = 0; lose < 2; lose++)
			printf("%s, %s: %u strangers known, %u of them wrong, %u unknown, %u meetings told by time\n",
				busy ? "many at one port" : "one after the other",
				lose ? "a world not recorded" : "all recorded", sum[busy][lose].known,
				sum[busy][lose].wrong, sum[busy][lose].unknown, sum[busy][lose].by_time);
	check(!wrong, "whoever is found without a guess is who it was: %u are not", wrong);
	check(!left, "where all is recorded and nothing is guessed everybody is found: %u are not", left);
	check(sum[0][0].known > 1000 && !sum[0][0].unknown, "one after the other: all are known");
	check(sum[1][0].known > 1000 && !sum[1][0].unknown, "many at one port: all are known, or guessed and counted");
	check(sum[1][0].wrong * 20 < sum[1][0].known, "and most guesses are right");
	check(sum[0][1].unknown > 100, "of a world that was not recorded nobody is known");
	return check_end();
}
