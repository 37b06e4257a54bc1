/* The history of each task: its passages, held against the topology and against each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/tasks/parts.h"

bool hb__tasks_place(const hb_tasks_trace *trace, const hb_tasks_event *e, hb_tasks_kind *ret_kind, uint32_t *ret_low)
{
	bool to_host = e->other < 0 || e->other == e->node;
	*ret_low = 0;
	if (e->node < 0) {
		bool source = e->receive, first = e->node == HB_TASKS_GENERATOR;
		*ret_kind = first ? source ? HB_TASKS_SOURCE : HB_TASKS_DOWN : source ? HB_TASKS_UP : HB_TASKS_SINK;
		return (first == source) ? e->other < 0 : e->other == 0;
	}
	if (e->other <= HB_TASKS_COMP_FN) {
		bool joins = e->other == HB_TASKS_JOIN_FN;
		*ret_low = hb_tasks_function_of(&trace->spec, (uint32_t)e->node, joins ? HB_TASKS_SPLIT_FN : e->other);
		*ret_kind = !e->receive ? HB_TASKS_DOWN : e->other == HB_TASKS_SPLIT_FN ? HB_TASKS_MADE : HB_TASKS_UP;
		return trace->hosts && (e->receive || !joins);
	}
	if (to_host) {
		*ret_kind = !trace->hosts ? e->receive ? HB_TASKS_SOURCE : HB_TASKS_SINK
			    : e->receive  ? HB_TASKS_DOWN
					  : HB_TASKS_UP;
		int32_t host = e->receive ? HB_TASKS_GENERATOR : HB_TASKS_RECEIVER;
		return e->node == 0 && (!trace->hosts || e->other == host);
	}
	uint32_t node = (uint32_t)e->node, other = (uint32_t)e->other;
	bool child = hb_tasks_parent(&trace->spec, node) == other; /* the event is at the child */
	if (!child && hb_tasks_parent(&trace->spec, other) != node)
		return false;
	*ret_low = child ? node : other;
	*ret_kind = child == e->receive ? HB_TASKS_DOWN : HB_TASKS_UP;
	return true;
}

static void place_name(int32_t node, char *ret, size_t size)
{
	static const char *const names[] = {
		"the generator", "the receiver", "its comp_fn", "its split_fn", "its join_fn"};
	if (node >= 0)
		snprintf(ret, size, "node %d", node);
	else
		snprintf(ret, size, "%s", names[-1 - node]);
}

void hb__tasks_words(const hb_tasks_trace *trace, const hb_tasks_event *e, char *ret, size_t size)
{
	char sub[HB_TASKS_SUB_TEXT], here[24], there[24];
	hb_tasks_kind kind;
	uint32_t low;
	hb__tasks_place(trace, e, &kind, &low);
	hb_tasks_sub_text(&trace->spec, e->sub, true, sub);
	place_name(e->node, here, sizeof here);
	place_name(e->other, there, sizeof there);
	snprintf(ret, size, "%s %s %stask %lld (%s) %s %s", here, e->receive ? "takes" : "gives",
		kind == HB_TASKS_UP || kind == HB_TASKS_SINK ? "the result of " : "", (long long)e->task, sub,
		e->receive ? "from" : "to", there);
}

/* ---- events by task ---- */

/* Tasks below this are sorted by counting; a specification may name many more than there are. */
static uint32_t counted(const hb_tasks_trace *t)
{
	size_t most = 4 * t->n + 1024;
	return t->spec.tasks < most ? t->spec.tasks : (uint32_t)most;
}

static bool is_counted(const hb_tasks_trace *t, size_t i, uint32_t tasks)
{
	return t->event[i].task >= 0 && t->event[i].task < tasks;
}

typedef struct stray {
	int64_t task;
	uint32_t event;
} stray;

static int by_number(const void *a, const void *b)
{
	const stray *x = a, *y = b;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->event < y->event ? -1 : 1;
}

static bool add_history(hb_tasks *t, int64_t task, uint32_t first, uint32_t events)
{
	if (!HB_GROW(t->history, t->history_room, t->histories + 1))
		return false;
	t->history[t->histories++] = (hb_tasks_history){.task = task, .first = first, .events = events};
	return true;
}

/* The other ones, also those with a number that no task has: few, or none. They stand behind the others. */
static bool sort_strays(hb_tasks *t, size_t from, uint32_t tasks)
{
	const hb_tasks_trace *trace = t->trace;
	size_t n = trace->n - from, k = 0;
	if (!n)
		return true;
	stray *s = malloc(n * sizeof *s);
	if (!s)
		return false;
	for (size_t i = 0; i < trace->n; i++)
		if (!is_counted(trace, i, tasks))
			s[k++] = (stray){trace->event[i].task, (uint32_t)i};
	qsort(s, n, sizeof *s, by_number);
	bool good = true;
	for (size_t i = 0, j; good && i < n; i = j) {
		for (j = i; j < n && s[j].task == s[i].task; j++)
			t->by_task[from + j] = s[j].event;
		good = add_history(t, s[i].task, (uint32_t)(from + i), (uint32_t)(j - i));
	}
	free(s);
	return good;
}

static bool group(hb_tasks *t)
{
	const hb_tasks_trace *trace = t->trace;
	uint32_t tasks = counted(trace), *start = calloc((size_t)tasks + 1, sizeof *start);
	t->by_task = malloc((trace->n + 1) * sizeof *t->by_task);
	if (!start || !t->by_task) {
		free(start);
		return false;
	}
	for (size_t i = 0; i < trace->n; i++)
		if (is_counted(trace, i, tasks))
			start[trace->event[i].task + 1]++;
	bool good = true;
	for (uint32_t k = 0; k < tasks; k++) {
		if (start[k + 1])
			good = good && add_history(t, k, start[k], start[k + 1]);
		start[k + 1] += start[k];
	}
	size_t strays = start[tasks];
	for (size_t i = 0; i < trace->n; i++)
		if (is_counted(trace, i, tasks))
			t->by_task[start[trace->event[i].task]++] = (uint32_t)i;
	free(start);
	return good && sort_strays(t, strays, tasks);
}

/* ---- passages ---- */

typedef struct step {
	uint64_t part;
	uint32_t length, low, event;
	uint8_t kind, receive;
} step;

static int compare_key(const step *x, hb_tasks_kind kind, uint32_t low, hb_tasks_sub sub)
{
	if (x->kind != (uint8_t)kind)
		return x->kind < (uint8_t)kind ? -1 : 1;
	if (x->low != low)
		return x->low < low ? -1 : 1;
	if (x->length != sub.length)
		return x->length < sub.length ? -1 : 1;
	if (x->part != sub.part)
		return x->part < sub.part ? -1 : 1;
	return 0;
}

static int compare_steps(const void *a, const void *b)
{
	const step *x = a, *y = b;
	int c = compare_key(x, y->kind, y->low, (hb_tasks_sub){y->part, y->length});
	if (c || x->receive == y->receive)
		return c ? c : x->event < y->event ? -1 : 1;
	return x->receive < y->receive ? -1 : 1;
}

static void sort_steps(step *s, uint32_t n)
{
	if (n > 40) {
		qsort(s, n, sizeof *s, compare_steps);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		step x = s[i];
		uint32_t j = i;
		for (; j && compare_steps(&s[j - 1], &x) > 0; j--)
			s[j] = s[j - 1];
		s[j] = x;
	}
}

typedef struct work {
	hb_tasks *t;
	hb_tasks_history *h;
	step *step;
	size_t room;
	hb_tasks_trouble *trouble;
} work;

static bool event_wrong(const work *w, uint32_t event, const char *what)
{
	const hb_tasks_trace *trace = w->t->trace;
	char words[160];
	hb__tasks_words(trace, &trace->event[event], words, sizeof words);
	return hb__tasks_wrong(trace->name, trace->event[event].line, w->trouble, "%s: %s", words, what);
}

static bool add_passage(work *w, const step *s)
{
	hb_tasks *t = w->t;
	bool both = hb_tasks_is_function(&t->trace->spec, s->low) != 0;
	if (!HB_GROW(t->passage, t->passage_room, t->passages + 1))
		return hb__tasks_no_memory(w->trouble);
	t->passage[t->passages++] = (hb_tasks_passage){.kind = s->kind,
		.low = s->low,
		.sub = {s->part, s->length},
		.send = s->receive && !both ? HB_TASKS_NONE : s->event,
		.receive = s->receive || both ? s->event : HB_TASKS_NONE,
		.holder = HB_TASKS_NONE,
		.result = HB_TASKS_NONE,
		.last = s->receive || both ? s->event : HB_TASKS_NONE};
	w->h->passages++;
	return true;
}

/* Sends and receives of one task become passages, in the order of compare_key. */
static bool pair_steps(work *w)
{
	const hb_tasks_spec *spec = &w->t->trace->spec;
	hb_tasks_passage *before = NULL;
	w->h->passage = (uint32_t)w->t->passages;
	for (uint32_t i = 0; i < w->h->events; i++) {
		const step *s = &w->step[i];
		bool same = before && !compare_key(s, before->kind, before->low, before->sub);
		if (!s->receive) {
			if (same)
				return event_wrong(w, s->event, "a second time");
		} else if (same) {
			if (before->receive != HB_TASKS_NONE)
				return event_wrong(w, s->event, "a second time");
			before->receive = before->last = s->event;
			w->t->partner[s->event] = before->send;
			w->t->partner[before->send] = s->event;
			continue;
		} else if (s->kind != HB_TASKS_SOURCE && !hb_tasks_is_function(spec, s->low))
			return event_wrong(w, s->event, "the send is not in the trace, so events were lost");
		if (!add_passage(w, s))
			return false;
		before = &w->t->passage[w->t->passages - 1];
	}
	return true;
}

/* Of a task that is there several times: its k-th send belongs to the k-th receive. */
static void pair_repeated(work *w)
{
	for (uint32_t i = 0, j; i < w->h->events; i = j) {
		const step *s = &w->step[i];
		uint32_t sends = 0;
		for (j = i; j < w->h->events &&
			    !compare_key(&w->step[j], s->kind, s->low, (hb_tasks_sub){s->part, s->length});
			j++)
			sends += !w->step[j].receive;
		for (uint32_t k = i; k < i + sends && k + sends < j; k++) {
			w->t->partner[w->step[k].event] = w->step[k + sends].event;
			w->t->partner[w->step[k + sends].event] = w->step[k].event;
		}
	}
}

/* ---- passages against each other ---- */

static uint32_t find_passage(
	const hb_tasks *t, const hb_tasks_history *h, hb_tasks_kind kind, uint32_t low, hb_tasks_sub sub)
{
	uint32_t from = h->passage, to = h->passage + h->passages;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		const hb_tasks_passage *p = &t->passage[middle];
		step s = {.part = p->sub.part, .length = p->sub.length, .low = p->low, .kind = (uint8_t)p->kind};
		int c = compare_key(&s, kind, low, sub);
		if (!c)
			return middle;
		if (c < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return HB_TASKS_NONE;
}

/* The passage by which a node has a task. */
static uint32_t had(const work *w, uint32_t node, hb_tasks_sub sub)
{
	bool source = !node && !w->t->trace->hosts;
	if (source && sub.length)
		return HB_TASKS_NONE;
	return find_passage(w->t, w->h, source ? HB_TASKS_SOURCE : HB_TASKS_DOWN, node, sub);
}

static bool give_out(const work *w, const hb_tasks_passage *p)
{
	uint32_t source = find_passage(w->t, w->h, HB_TASKS_SOURCE, 0, (hb_tasks_sub){0});
	if (p->sub.length)
		return event_wrong(w, p->send, "the generator has whole tasks alone");
	if (source == HB_TASKS_NONE || w->t->passage[source].receive > p->send)
		return event_wrong(
			w, p->send, "the generator does not have it: events were lost, or stand in a wrong order");
	return true;
}

/* How the sender of a passage had the task: as it is, or as a part of one that it, or its split_fn, had. */
static uint32_t find_holder(const work *w, const hb_tasks_passage *p, bool *ret_split)
{
	const hb_tasks_spec *spec = &w->t->trace->spec;
	bool function = hb_tasks_is_function(spec, p->low) != 0;
	uint32_t node = function ? hb_tasks_node_of(spec, p->low) : hb_tasks_parent(spec, p->low);
	uint32_t holder = had(w, node, p->sub);
	*ret_split = holder == HB_TASKS_NONE && p->sub.length;
	if (!*ret_split)
		return holder;
	hb_tasks_sub whole = hb_tasks_whole_of(spec, p->sub);
	if (w->t->trace->hosts)
		holder = had(w, hb_tasks_function_of(spec, node, HB_TASKS_SPLIT_FN), whole);
	return holder == HB_TASKS_NONE ? had(w, node, whole) : holder;
}

/* A task or part that a node gives to a child, or to a function of its own: it must have had it, or what it is a part of. */
static bool give(work *w, uint32_t at)
{
	hb_tasks_passage *p = &w->t->passage[at];
	const hb_tasks_spec *spec = &w->t->trace->spec;
	bool split;
	if (!p->low && w->t->trace->hosts)
		return give_out(w, p);
	p->holder = find_holder(w, p, &split);
	if (p->holder == HB_TASKS_NONE)
		return event_wrong(w, p->send, "it does not have it: events were lost");
	hb_tasks_passage *holder = &w->t->passage[p->holder];
	if (holder->receive == HB_TASKS_NONE || holder->receive > p->send)
		return event_wrong(w, p->send, "it does not have it yet: events were lost, or stand in a wrong order");
	uint64_t bit = split ? UINT64_C(1) << hb_tasks_last_digit(spec, p->sub) : 0;
	if (holder->parts & bit || holder->passed || (!split && holder->parts))
		return event_wrong(w, p->send, "it has given it away before");
	holder->parts |= bit;
	holder->passed += !split;
	if (p->send > holder->last)
		holder->last = p->send;
	return true;
}

/* A result that a node gives to its parent, or its parent takes. */
static bool give_result(work *w, uint32_t at)
{
	hb_tasks_passage *p = &w->t->passage[at];
	uint32_t task = p->kind == HB_TASKS_SINK && w->t->trace->hosts
				? find_passage(w->t, w->h, HB_TASKS_UP, 0, p->sub)
				: had(w, p->low, p->sub);
	if (task == HB_TASKS_NONE || w->t->passage[task].receive == HB_TASKS_NONE ||
		w->t->passage[task].receive > p->send)
		return event_wrong(w, p->send, "it does not have it: events were lost, or stand in a wrong order");
	hb_tasks_passage *had_by = &w->t->passage[task];
	had_by->result = at;
	if (p->kind == HB_TASKS_UP && p->receive != HB_TASKS_NONE && had_by->holder != HB_TASKS_NONE) {
		hb_tasks_passage *holder = &w->t->passage[had_by->holder];
		holder->returned++;
		if (p->receive > holder->last)
			holder->last = p->receive;
	}
	return true;
}

/* split_fn has returned. */
static bool make(const work *w, const hb_tasks_passage *p)
{
	uint32_t task = had(w, p->low, p->sub);
	if (task == HB_TASKS_NONE || w->t->passage[task].receive > p->send)
		return event_wrong(
			w, p->send, "split_fn was not called for it: events were lost, or stand in a wrong order");
	hb_tasks_passage *split = &w->t->passage[task];
	split->made = true;
	if (p->send > split->last)
		split->last = p->send;
	return true;
}

static uint32_t given(const hb_tasks_passage *p) { return p->passed + (uint32_t)__builtin_popcountll(p->parts); }

/* A result may only be given when those of all parts are there. */
static bool judge_result(const work *w, const hb_tasks_passage *p)
{
	if (p->kind > HB_TASKS_DOWN || p->result == HB_TASKS_NONE)
		return true;
	uint32_t send = w->t->passage[p->result].send;
	if (given(p) == p->returned && p->last < send)
		return true;
	return event_wrong(
		w, send, "it does not have the results of all parts: events were lost, or stand in a wrong order");
}

static bool splits_at_root(const work *w)
{
	uint32_t root = had(w, 0, (hb_tasks_sub){0});
	if (root != HB_TASKS_NONE && w->t->passage[root].parts)
		return true;
	return w->t->trace->hosts && had(w, hb_tasks_function_of(&w->t->trace->spec, 0, HB_TASKS_SPLIT_FN),
					     (hb_tasks_sub){0}) != HB_TASKS_NONE;
}

static bool link_passages(work *w)
{
	hb_tasks_history *h = w->h;
	uint32_t end = h->passage + h->passages;
	hb_tasks_passage *all = w->t->passage;
	for (uint32_t i = h->passage; i < end; i++) {
		hb_tasks_kind kind = all[i].kind;
		if (kind == HB_TASKS_DOWN       ? !give(w, i)
			: kind == HB_TASKS_MADE ? !make(w, &all[i])
						: kind != HB_TASKS_SOURCE && !give_result(w, i))
			return false;
	}
	for (uint32_t i = h->passage; i < end; i++)
		if (!judge_result(w, &all[i]))
			return false;
	h->skips = !splits_at_root(w);
	return true;
}

static bool one_task(work *w)
{
	const hb_tasks_trace *trace = w->t->trace;
	hb_tasks_history *h = w->h;
	if (!HB_GROW(w->step, w->room, h->events))
		return hb__tasks_no_memory(w->trouble);
	for (uint32_t i = 0; i < h->events; i++) {
		uint32_t event = w->t->by_task[h->first + i];
		const hb_tasks_event *e = &trace->event[event];
		hb_tasks_kind kind;
		uint32_t low;
		hb__tasks_place(trace, e, &kind, &low);
		w->step[i] = (step){e->sub.part, e->sub.length, low, event, (uint8_t)kind, e->receive};
		h->sources += kind == HB_TASKS_SOURCE;
	}
	sort_steps(w->step, h->events);
	/* What was generated twice, or has a number that there is not, is an error of its own: its passages cannot be told apart. */
	if (h->sources > 1 || h->task < 0 || h->task >= trace->spec.tasks) {
		h->passage = (uint32_t)w->t->passages;
		pair_repeated(w);
		return true;
	}
	return pair_steps(w) && link_passages(w);
}

bool hb_tasks_open(const hb_tasks_trace *trace, hb_tasks *ret, hb_tasks_trouble *trouble)
{
	work w = {.t = ret, .trouble = trouble};
	ret->trace = trace;
	ret->partner = malloc((trace->n + 1) * sizeof *ret->partner);
	if (!ret->partner || !group(ret))
		return hb__tasks_no_memory(trouble);
	memset(ret->partner, 0xff, (trace->n + 1) * sizeof *ret->partner);
	bool good = true;
	for (size_t i = 0; good && i < ret->histories; i++) {
		w.h = &ret->history[i];
		good = one_task(&w);
	}
	free(w.step);
	return good;
}

void hb_tasks_close(hb_tasks *t)
{
	free(t->by_task);
	free(t->partner);
	free(t->history);
	free(t->passage);
	*t = (hb_tasks){0};
}
