/* The messages once more, by a stack of processes: one that needs a message waits, and its sender goes on until it has sent it. */
#include <stdlib.h>
#include <string.h>

#include "rules/tasks/parts.h"
#include "rules/tasks/stamps.h"

uint32_t hb_tasks_clocks(const hb_tasks_trace *trace) { return trace->spec.processors + (trace->hosts ? 2 : 0); }

uint32_t hb_tasks_clock_of(const hb_tasks_trace *trace, int32_t node)
{
	return node >= 0 ? (uint32_t)node : trace->spec.processors + (uint32_t)(-1 - node);
}

/* Clocks of messages on their way: blocks that are used again. */
typedef struct blocks {
	uint32_t **free;
	size_t frees, room;
} blocks;

typedef struct wait {
	uint32_t process, until; /* the event it goes to */
} wait;

typedef struct replay {
	const hb_tasks *t;
	uint32_t processes;
	uint32_t *event;       /* those of each process together */
	size_t *next, *end;    /* by process */
	uint32_t *clock;       /* by process, where clocks are asked for */
	uint32_t **message;    /* by event: the clock of a send on its way */
	uint8_t *done, *waits; /* by event; by process */
	wait *stack;
	hb_tasks_visit *visit;
	void *user;
} replay;

static bool begin(replay *r, bool clocks)
{
	const hb_tasks_trace *trace = r->t->trace;
	r->processes = hb_tasks_clocks(trace);
	r->event = malloc((trace->n + 1) * sizeof *r->event);
	r->next = calloc(r->processes + 1, sizeof *r->next);
	r->end = calloc(r->processes + 1, sizeof *r->end);
	r->done = calloc(trace->n + 1, 1);
	r->waits = calloc(r->processes + 1, 1);
	r->stack = malloc((r->processes + 1) * sizeof *r->stack);
	if (clocks) {
		r->clock = calloc((size_t)r->processes * r->processes + 1, sizeof *r->clock);
		r->message = calloc(trace->n + 1, sizeof *r->message);
	}
	if (!r->event || !r->next || !r->end || !r->done || !r->waits || !r->stack ||
		(clocks && (!r->clock || !r->message)))
		return false;
	for (size_t i = 0; i < trace->n; i++)
		r->end[hb_tasks_clock_of(trace, trace->event[i].node)]++;
	size_t at = 0;
	for (uint32_t p = 0; p < r->processes; p++) {
		r->next[p] = at;
		at += r->end[p];
		r->end[p] = r->next[p];
	}
	for (size_t i = 0; i < trace->n; i++)
		r->event[r->end[hb_tasks_clock_of(trace, trace->event[i].node)]++] = (uint32_t)i;
	return true;
}

static void end(replay *r)
{
	for (size_t i = 0; r->message && i < r->t->trace->n; i++)
		free(r->message[i]);
	free(r->event);
	free(r->next);
	free(r->end);
	free(r->done);
	free(r->waits);
	free(r->stack);
	free(r->clock);
	free(r->message);
}

/* False: out of memory. */
static bool tick(replay *r, uint32_t p, uint32_t event, blocks *b)
{
	uint32_t *clock = r->clock + (size_t)p * r->processes, partner = r->t->partner[event];
	size_t bytes = r->processes * sizeof *clock;
	clock[p]++;
	if (partner == HB_TASKS_NONE)
		return true;
	if (!r->t->trace->event[event].receive) {
		uint32_t *m = b->frees ? b->free[--b->frees] : malloc(bytes);
		if (m)
			memcpy(m, clock, bytes);
		r->message[event] = m;
		return m != NULL;
	}
	uint32_t *m = r->message[partner];
	for (uint32_t i = 0; i < r->processes; i++)
		clock[i] = m[i] > clock[i] ? m[i] : clock[i];
	r->message[partner] = NULL;
	if (b->frees < b->room)
		b->free[b->frees++] = m;
	else
		free(m);
	return true;
}

static bool no_order(const replay *r, uint32_t receive, hb_tasks_trouble *trouble)
{
	const hb_tasks_trace *trace = r->t->trace;
	char words[160];
	hb__tasks_words(trace, &trace->event[receive], words, sizeof words);
	return hb__tasks_wrong(trace->name, trace->event[receive].line, trouble,
		"%s: it was sent because of what follows this, so no order of the events is possible", words);
}

/* One process to its end, and whatever others have to do for that. */
static bool run(replay *r, uint32_t process, blocks *b, hb_tasks_trouble *trouble)
{
	const hb_tasks_trace *trace = r->t->trace;
	size_t n = 0;
	r->stack[n++] = (wait){process, HB_TASKS_NONE};
	r->waits[process] = 1;
	while (n) {
		wait *w = &r->stack[n - 1];
		if ((w->until != HB_TASKS_NONE && r->done[w->until]) || r->next[w->process] == r->end[w->process]) {
			r->waits[w->process] = 0;
			n--;
			continue;
		}
		uint32_t e = r->event[r->next[w->process]], partner = r->t->partner[e];
		if (trace->event[e].receive && partner != HB_TASKS_NONE && !r->done[partner]) {
			uint32_t sender = hb_tasks_clock_of(trace, trace->event[partner].node);
			if (r->waits[sender])
				return no_order(r, e, trouble);
			r->waits[sender] = 1;
			r->stack[n++] = (wait){sender, partner};
			continue;
		}
		if (r->clock && !tick(r, w->process, e, b))
			return hb__tasks_no_memory(trouble);
		r->done[e] = 1;
		r->next[w->process]++;
		if (r->visit)
			r->visit(r->user, e, r->clock ? r->clock + (size_t)w->process * r->processes : NULL);
	}
	return true;
}

bool hb_tasks_replay(const hb_tasks *tasks, bool clocks, hb_tasks_visit *visit, void *user, hb_tasks_trouble *trouble)
{
	replay r = {.t = tasks, .visit = visit, .user = user};
	uint32_t *room[256];
	blocks b = {.free = room, .room = sizeof room / sizeof *room};
	bool good = begin(&r, clocks);
	if (!good)
		hb__tasks_no_memory(trouble);
	for (uint32_t p = 0; good && p < r.processes; p++)
		good = run(&r, p, &b, trouble);
	while (b.frees)
		free(b.free[--b.frees]);
	end(&r);
	return good;
}
