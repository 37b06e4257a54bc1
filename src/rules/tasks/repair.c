/* A farm that went on without a node that died: its trace up to there. */
#include <stdlib.h>
#include <string.h>

#include "rules/tasks/parts.h"

typedef struct key {
	int64_t task;
	hb_tasks_sub sub;
	int32_t from, to;
	uint32_t event;
	uint8_t kind, receive;
} key;

typedef struct repair {
	hb_tasks_trace *trace;
	key *key;
	size_t keys;
	uint32_t *partner; /* by event: the send of a receive; NONE: it has none */
	uint8_t *bad;      /* by event: no part of a history without repairs */
	uint8_t *over;     /* by process, in one pass */
} repair;

#define DIFFER(a, b)    \
	if ((a) != (b)) \
	return (a) < (b) ? -1 : 1

static int by_task(const key *x, const key *y)
{
	DIFFER(x->kind, y->kind);
	DIFFER(x->task, y->task);
	DIFFER(x->sub.length, y->sub.length);
	DIFFER(x->sub.part, y->sub.part);
	return 0;
}

static int32_t place(const key *k) { return k->receive ? k->to : k->from; }

static int compare_at_node(const key *x, const key *y)
{
	DIFFER(place(x), place(y));
	DIFFER(x->receive, y->receive);
	return by_task(x, y);
}

static int at_node(const void *a, const void *b)
{
	const key *x = a, *y = b;
	int c = compare_at_node(x, y);
	if (c)
		return c;
	return x->event < y->event ? -1 : 1;
}

static int between(const void *a, const void *b)
{
	const key *x = a, *y = b;
	DIFFER(x->from, y->from);
	DIFFER(x->to, y->to);
	int c = by_task(x, y);
	if (c)
		return c;
	DIFFER(x->receive, y->receive);
	return x->event < y->event ? -1 : 1;
}

static uint32_t process(const repair *r, int32_t node)
{
	return node >= 0 ? (uint32_t)node : r->trace->spec.processors + (uint32_t)(-1 - node);
}

static void make_keys(repair *r)
{
	for (size_t i = 0; i < r->trace->n; i++) {
		const hb_tasks_event *e = &r->trace->event[i];
		hb_tasks_kind kind;
		uint32_t low;
		if (e->node >= (int32_t)r->trace->spec.processors || e->other >= (int32_t)r->trace->spec.processors ||
			!hb__tasks_place(r->trace, e, &kind, &low)) {
			r->bad[i] = 1; /* a node has another parent now */
			continue;
		}
		r->key[r->keys++] = (key){.task = e->task,
			.sub = e->sub,
			.from = e->receive ? e->other : e->node,
			.to = e->receive ? e->node : e->other,
			.event = (uint32_t)i,
			.kind = (uint8_t)kind,
			.receive = e->receive};
	}
}

/* What a node gives or takes a second time; and which receive is of which send. */
static void look(repair *r)
{
	qsort(r->key, r->keys, sizeof *r->key, at_node);
	for (size_t i = 1; i < r->keys; i++)
		if (!compare_at_node(&r->key[i - 1], &r->key[i]))
			r->bad[r->key[i].event] = 1;
	qsort(r->key, r->keys, sizeof *r->key, between);
	for (size_t i = 1; i < r->keys; i++) {
		const key *send = &r->key[i - 1], *receive = &r->key[i];
		if (!send->receive && receive->receive && send->from == receive->from && send->to == receive->to &&
			!by_task(send, receive))
			r->partner[receive->event] = send->event;
	}
}

/* What comes after something bad at its process, or by a message, is bad. True: there was more of it. */
static bool spread(repair *r)
{
	bool more = false;
	memset(r->over, 0, r->trace->spec.processors + 2);
	for (size_t i = 0; i < r->trace->n; i++) {
		uint8_t *over = &r->over[process(r, r->trace->event[i].node)];
		*over |= r->bad[i] || (r->partner[i] != HB_TASKS_NONE && r->bad[r->partner[i]]);
		more |= *over && !r->bad[i];
		r->bad[i] |= *over;
	}
	return more;
}

bool hb_tasks_before_repair(hb_tasks_trace *trace, size_t *ret_left_out)
{
	repair r = {.trace = trace,
		.key = malloc((trace->n + 1) * sizeof *r.key),
		.partner = malloc((trace->n + 1) * sizeof *r.partner),
		.bad = calloc(trace->n + 1, 1),
		.over = calloc(trace->spec.processors + 2, 1)};
	bool good = r.key && r.partner && r.bad && r.over;
	*ret_left_out = 0;
	if (good) {
		memset(r.partner, 0xff, (trace->n + 1) * sizeof *r.partner);
		make_keys(&r);
		look(&r);
		while (spread(&r))
			continue;
		size_t kept = 0;
		for (size_t i = 0; i < trace->n; i++)
			if (!r.bad[i])
				trace->event[kept++] = trace->event[i];
		*ret_left_out = trace->n - kept;
		trace->n = kept;
	}
	free(r.key);
	free(r.partner);
	free(r.bad);
	free(r.over);
	return good;
}
