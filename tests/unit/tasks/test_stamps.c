/* Time stamps of task events: replayed messages, what the document's listing prints, and short stamps against full ones. */
#include "base/clock.h"
#include "check.h"
#include "walks.h"

typedef struct kept {
	uint32_t processes;
	uint32_t *clock; /* by event, all components */
	uint8_t *seen;
	size_t visited;
	const hb_tasks *t;
	bool receive_first;
} kept;

static void keep(void *user, uint32_t event, const uint32_t *clock)
{
	kept *k = user;
	memcpy(k->clock + (size_t)event * k->processes, clock, k->processes * sizeof *clock);
	k->seen[event]++;
	k->visited++;
	if (k->t->trace->event[event].receive && k->t->partner[event] != HB_TASKS_NONE &&
		!k->seen[k->t->partner[event]])
		k->receive_first = true;
}

static bool full_before(const kept *k, uint32_t a, uint32_t b)
{
	uint32_t p = hb_tasks_clock_of(k->t->trace, k->t->trace->event[a].node);
	return a != b && k->clock[(size_t)a * k->processes + p] <= k->clock[(size_t)b * k->processes + p];
}

static hb_tasks_trouble trouble;

static void open_walks(const hb_tasks_spec *spec, hb_tasks_trace *trace, hb_tasks *t)
{
	walks_make(spec, trace);
	*t = (hb_tasks){0};
	if (!hb_tasks_open(trace, t, &trouble))
		check(false, "a random history fits: %s", trouble.text);
}

static void take_full(const hb_tasks *t, kept *k)
{
	*k = (kept){.processes = hb_tasks_clocks(t->trace), .t = t};
	k->clock = malloc(t->trace->n * k->processes * sizeof *k->clock);
	k->seen = calloc(t->trace->n, 1);
	if (!k->clock || !k->seen)
		abort();
	if (!hb_tasks_replay(t, true, keep, k, &trouble))
		check(false, "replayed: %s", trouble.text);
}

static void drop_full(kept *k)
{
	free(k->clock);
	free(k->seen);
}

/* ---- the slip ---- */

/* The document's listing: where a receive has found its send, that send is put out once more and the receive is passed over.
 * Written for histories whose messages stand behind their sends, as those here do. */
static size_t as_listed(const hb_tasks *t, uint32_t *times)
{
	size_t n = 0;
	for (uint32_t i = 0; i < t->trace->n; i++) {
		uint32_t partner = t->partner[i];
		times[t->trace->event[i].receive && partner != HB_TASKS_NONE ? partner : i]++;
		n++;
	}
	return n;
}

static void listing(void)
{
	hb_tasks_spec spec = {.processors = 8, .topology = 2, .tasks = 20, .degree = 1, .depth = 1};
	hb_tasks_trace trace;
	hb_tasks t;
	kept k;
	open_walks(&spec, &trace, &t);
	uint32_t *times = calloc(trace.n, sizeof *times);
	if (!times)
		abort();
	size_t printed = as_listed(&t, times), twice = 0, never = 0, messages = 0, once = 0;
	take_full(&t, &k);
	for (uint32_t i = 0; i < trace.n; i++) {
		messages += !trace.event[i].receive && t.partner[i] != HB_TASKS_NONE;
		twice += times[i] == 2;
		never += times[i] == 0;
		once += k.seen[i] == 1;
	}
	check(printed == trace.n && twice == messages && never == messages && messages > 20,
		"the document's listing prints %zu lines for %zu events: %zu sends twice, their %zu receives never",
		printed, trace.n, twice, never);
	check(once == trace.n && k.visited == trace.n, "right is each event once: %zu of %zu", once, trace.n);
	free(times);
	drop_full(&k);
	hb_tasks_close(&t);
	hb_tasks_trace_free(&trace);
}

/* ---- short against full ---- */

static size_t compare(const hb_tasks_stamps *s, const kept *k, uint32_t n, size_t pairs, size_t *ordered)
{
	size_t wrong = 0;
	for (size_t i = 0; i < pairs; i++) {
		uint32_t a = walks_random(n), b = walks_random(n);
		bool before = hb_tasks_before(s, a, b);
		wrong += before != full_before(k, a, b);
		*ordered += before;
	}
	return wrong;
}

static void random_trees(void)
{
	size_t wrong = 0, ordered = 0, pairs = 0, first = 0, missed = 0;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		walks_seed = seed;
		hb_tasks_spec spec = {.processors = 1 + walks_random(40),
			.topology = walks_random(5),
			.tasks = 60,
			.degree = 1,
			.depth = 1};
		hb_tasks_trace trace;
		hb_tasks t;
		hb_tasks_stamps s = {0};
		kept k;
		open_walks(&spec, &trace, &t);
		take_full(&t, &k);
		if (!hb_tasks_stamp(&t, &s, &trouble))
			check(false, "stamped: %s", trouble.text);
		wrong += compare(&s, &k, (uint32_t)trace.n, 20000, &ordered);
		pairs += 20000;
		first += k.receive_first;
		missed += k.visited != trace.n;
		hb_tasks_stamps_free(&s);
		drop_full(&k);
		hb_tasks_close(&t);
		hb_tasks_trace_free(&trace);
	}
	check(!first && !missed, "every event is visited, none before what happened before it");
	check(!wrong && ordered > pairs / 10 && ordered < pairs / 2 + pairs / 4,
		"short stamps: %zu pairs of events on 60 random trees, %zu of them ordered, %zu answered otherwise than by vectors",
		pairs, ordered, wrong);
}

static double asked(const hb_tasks_stamps *s, const kept *k, uint32_t n, size_t *count)
{
	double began = hb_seconds();
	for (size_t i = 0; i < 200000; i++) {
		uint32_t a = walks_random(n), b = walks_random(n);
		*count += s ? hb_tasks_before(s, a, b) : full_before(k, a, b);
	}
	return (hb_seconds() - began) / 200000;
}

/* Sizes and times, for the page in docs/. */
static void costs(uint32_t nodes, uint32_t topology, const char *name)
{
	hb_tasks_spec spec = {.processors = nodes, .topology = topology, .tasks = 2000, .degree = 1, .depth = 1};
	hb_tasks_trace trace;
	hb_tasks t;
	hb_tasks_stamps s = {0};
	kept k;
	size_t a = 0, b = 0;
	walks_seed = nodes;
	open_walks(&spec, &trace, &t);
	double began = hb_seconds();
	take_full(&t, &k);
	double full = hb_seconds() - began;
	began = hb_seconds();
	hb_tasks_stamp(&t, &s, &trouble);
	double small = hb_seconds() - began;
	walks_seed = 5;
	double ask_full = asked(NULL, &k, (uint32_t)trace.n, &a);
	walks_seed = 5;
	double ask_short = asked(&s, &k, (uint32_t)trace.n, &b);
	check(a == b,
		"%s of %u, %zu events: full %u bytes each, %.0f ns to make, %.0f ns to ask; short %.1f bytes, %.0f ns, %.0f ns",
		name, nodes, trace.n, 4 * nodes, full / (double)trace.n * 1e9, ask_full * 1e9,
		4 + 4.0 * (double)s.seen_all / (double)trace.n, small / (double)trace.n * 1e9, ask_short * 1e9);
	hb_tasks_stamps_free(&s);
	drop_full(&k);
	hb_tasks_close(&t);
	hb_tasks_trace_free(&trace);
}

int main(void)
{
	listing();
	random_trees();
	costs(16, 2, "binary tree");
	costs(256, 2, "binary tree");
	costs(256, 3, "ternary tree");
	costs(64, 1, "chain");
	costs(64, HB_TASKS_STAR, "star");
	return check_end();
}
