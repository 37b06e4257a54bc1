/* The trace of a task machine for detrek: PREFIX.spf and PREFIX.tvm (docs/farm/detrek.md), from the events of the farm library.
 *
 *   event or span                     line
 *   generate begins, ends             the generator has the task, gives it to node 0
 *   task_sent, task_received          node to node; node 0 takes it from the generator
 *   compute, split begin              the node gives the task to its comp_fn, split_fn
 *   split ends                        split_fn has returned
 *   compute, join end                 it takes the result from comp_fn, join_fn
 *   result_sent, result_received      node to node; node 0 gives it to the receiver
 *   receive begins, ends              the receiver takes the result, has dealt with it
 *
 * What the library's generator sends and its receiver takes as messages is not looked at: by then the program has given a task
 * away, but has not taken a result. */
#include <stdio.h>
#include <stdlib.h>

#include <hbdb/farm/events.h>

#include "../show/line.h"
#include "../store/find.h"
#include "export.h"
#include "rules/tasks/tasks.h"

struct tvm {
	hb_export *x;
	hb_tasks_trace
		trace; /* times in thousandths of microseconds, that is in nanoseconds; line: in which order they came */
	bool known, keeps_tasks; /* a process said how the farm is made up; and how many tasks there are */
	uint64_t odd;            /* events with such names that are not of the library */
	int64_t last_task;       /* -1: none */
	uint32_t longest;        /* digits of a subtask */
	bool too_long;
	int code;
	/* of the process that is read */
	bool in_farm, over;
	int32_t node;
	int64_t generating, generating_ns; /* -1: nothing */
};

/* ---- values ---- */

static int64_t number(const hb_call *call, const char *name)
{
	const hb_function *f = call->event->function;
	for (uint32_t i = 0; i < f->nvalues; i++)
		if (!strcmp(f->value_name[i], name) && f->value_type[i] != 0)
			return HB_ABSENT;
	return hb_event_value(call->event, name);
}

static const char *text_of(const struct tvm *t, const hb_call *call, const char *name)
{
	const hb_function *f = call->event->function;
	for (uint32_t i = 0; i < f->nvalues; i++)
		if (!strcmp(f->value_name[i], name) && f->value_type[i] != 2)
			return NULL;
	int64_t value = hb_event_value(call->event, name);
	return value == HB_ABSENT ? NULL : hb_log_text(t->x->run.logs.at[call->log].log, (uint32_t)value);
}

/* Digits, the first split's first. False: these are none. */
static bool to_sub(struct tvm *t, const char *text, hb_tasks_sub *ret)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	*ret = (hb_tasks_sub){0};
	for (; *text; text++) {
		const char *digit = strchr(digits, *text);
		if (!digit || (uint32_t)(digit - digits) >= t->trace.spec.degree)
			return false;
		if ((ret->length + 1) * hb_tasks_bits(&t->trace.spec) > 64) {
			t->too_long = true;
			return false;
		}
		*ret = hb_tasks_part(&t->trace.spec, *ret, (uint32_t)(digit - digits));
	}
	t->longest = ret->length > t->longest ? ret->length : t->longest;
	return true;
}

/* ---- lines ---- */

static void add(struct tvm *t, int64_t ns, int32_t node, bool receive, int64_t other, int64_t task, hb_tasks_sub sub)
{
	hb_tasks_trace *trace = &t->trace;
	if (trace->n == trace->room) {
		trace->room = 2 * trace->room + 1024;
		trace->event = hb__resize(trace->event, trace->room * sizeof *trace->event);
	}
	trace->event[trace->n++] = (hb_tasks_event){.time = ns,
		.task = task,
		.sub = sub,
		.node = node,
		.other = (int32_t)other,
		.line = (uint32_t)trace->n,
		.receive = receive};
	t->last_task = task > t->last_task ? task : t->last_task;
}

enum { TASK_SENT, TASK_RECEIVED, RESULT_SENT, RESULT_RECEIVED, GENERATE, SPLIT, COMPUTE, JOIN, RECEIVE, FARM, NAMES };
static const char *const names[NAMES] = {HB_FARM_TASK_SENT, HB_FARM_TASK_RECEIVED, HB_FARM_RESULT_SENT,
	HB_FARM_RESULT_RECEIVED, HB_FARM_GENERATE, HB_FARM_SPLIT, HB_FARM_COMPUTE, HB_FARM_JOIN, HB_FARM_RECEIVE,
	HB_FARM_STARTED};

static void message(struct tvm *t, const hb_call *call, int what, int64_t task, hb_tasks_sub sub)
{
	int64_t other = number(call, HB_FARM_NODE);
	bool generates = t->node == HB_TASKS_GENERATOR || (what == TASK_SENT && other == t->node);
	bool receives = t->node == HB_TASKS_RECEIVER || (what == RESULT_RECEIVED && other == t->node);
	if (other < HB_TASKS_RECEIVER || other > INT32_MAX)
		t->odd++;
	else if (!generates && !receives)
		add(t, call->ns, t->node, what == TASK_RECEIVED || what == RESULT_RECEIVED, other, task, sub);
}

/* The generator's spans are of the task that comes next: the last one ends without a task. */
static void generate(struct tvm *t, const hb_call *call, bool begins, int64_t task)
{
	if (begins) {
		t->generating = task;
		t->generating_ns = call->ns;
		return;
	}
	if (t->generating == task && number(call, HB_FARM_BYTES) != -1) {
		add(t, t->generating_ns, HB_TASKS_GENERATOR, true, HB_TASKS_GENERATOR, task, (hb_tasks_sub){0});
		add(t, call->ns, HB_TASKS_GENERATOR, false, 0, task, (hb_tasks_sub){0});
	}
	t->generating = -1;
}

static void span(struct tvm *t, const hb_call *call, int what, int64_t task, hb_tasks_sub sub)
{
	bool begins = call->event->function->cls == HB_USER_BEGIN;
	if (what == GENERATE)
		generate(t, call, begins, task);
	else if (what == RECEIVE)
		add(t, call->ns, HB_TASKS_RECEIVER, begins, begins ? 0 : HB_TASKS_RECEIVER, task, sub);
	else if (what == COMPUTE)
		add(t, call->ns, t->node, !begins, HB_TASKS_COMP_FN, task, sub);
	else if (what == SPLIT)
		add(t, call->ns, t->node, !begins, HB_TASKS_SPLIT_FN, task, sub);
	else if (!begins)
		add(t, call->ns, t->node, true, HB_TASKS_JOIN_FN, task, sub);
}

/* ---- how the farm is made up ---- */

static int topology_of(const char *text)
{
	static const char *const known[] = {"star", "chain", "binary", "ternary"};
	for (int i = 0; i < 4; i++)
		if (!strcmp(text, known[i]))
			return i;
	return strncmp(text, "tree ", 5) != 0 || atoi(text + 5) < 1 ? -1 : atoi(text + 5);
}

static void farm(struct tvm *t, const hb_call *call)
{
	int64_t node = number(call, HB_FARM_NODE), nodes = number(call, HB_FARM_NODES),
		degree = number(call, HB_FARM_DEGREE), depth = number(call, HB_FARM_DEPTH),
		tasks = number(call, HB_FARM_TASKS);
	const char *topology = text_of(t, call, HB_FARM_TOPOLOGY);
	t->over = t->in_farm; /* a second farm */
	if (t->over)
		return;
	if (!topology || node < HB_TASKS_RECEIVER || node > INT32_MAX || nodes < 1 || nodes > INT32_MAX || degree < 1 ||
		degree > HB_TASKS_DEGREE_MOST || depth < 0 || depth > 64) {
		t->odd++;
		return;
	}
	t->in_farm = true;
	t->node = (int32_t)node;
	if (t->known)
		return;
	if (topology_of(topology) < 0) {
		t->code = hb__fail_with(HB_EXIT_RECORDING,
			"the farm's topology '%s' is not one that a specification can name", topology);
		return;
	}
	t->known = true;
	t->keeps_tasks = tasks >= 0 && tasks <= INT32_MAX;
	t->trace.spec = (hb_tasks_spec){.processors = (uint32_t)nodes,
		.topology = (uint32_t)topology_of(topology),
		.tasks = t->keeps_tasks ? (uint32_t)tasks : 0,
		.degree = (uint32_t)degree,
		.depth = (uint32_t)depth + 1};
}

/* ---- reading ---- */

static int name_of(const hb_call *call)
{
	const hb_function *f = call->event->function;
	bool is_span = f && (f->cls == HB_USER_BEGIN || f->cls == HB_USER_END);
	if (!f || (!is_span && f->cls != HB_USER_EVENT))
		return NAMES;
	int what = 0;
	while (what < NAMES && strcmp(names[what], f->name) != 0)
		what++;
	return is_span == (what >= GENERATE && what <= RECEIVE) ? what : NAMES;
}

static void read_call(void *user, const hb_call *call, bool end)
{
	struct tvm *t = user;
	int what = end ? NAMES : name_of(call);
	if (what == FARM)
		farm(t, call);
	if (what >= FARM || !t->in_farm || t->over)
		return;
	const char *sub_text = text_of(t, call, HB_FARM_SUB);
	int64_t task = number(call, HB_FARM_TASK);
	hb_tasks_sub sub;
	if (!sub_text || task < 0 || !to_sub(t, sub_text, &sub))
		t->odd++;
	else if (what < GENERATE)
		message(t, call, what, task, sub);
	else
		span(t, call, what, task, sub);
}

static void read_process(struct tvm *t, size_t log)
{
	hb_export *x = t->x;
	t->in_farm = t->over = false;
	t->generating = -1;
	for (uint32_t lane = 0; !t->code && lane < x->run.views[log].info->lanes; lane++) {
		int code = hb__walk(x, log, lane, read_call, t);
		t->code = t->code ? t->code : code;
	}
	if (t->generating >= 0)
		add(t, t->generating_ns, HB_TASKS_GENERATOR, true, HB_TASKS_GENERATOR, t->generating,
			(hb_tasks_sub){0});
	if (t->over) {
		char *name = hb__export_line_name(x, log, 0);
		hb__say("%s ran several farms: only the first is written", name);
		free(name);
	}
}

static int read_all(struct tvm *t)
{
	hb_export *x = t->x;
	for (size_t i = 0; !t->code && i < x->run.logs.n; i++)
		if (hb__export_wants(x, i) && x->process_of[i] != HB_NO)
			read_process(t, i);
	if (t->code)
		return t->code;
	if (!t->known)
		return hb__fail_with(HB_EXIT_USAGE,
			"%s has no event 'farm': its program does not use the farm library, or was recorded "
			"without its events",
			hb__short(x->run.path));
	if (t->too_long)
		return hb__fail_with(
			HB_EXIT_RECORDING, "a subtask has more digits than fit into 64 bits: a trace cannot hold it");
	if (t->odd)
		hb__say("%llu events have names of the farm library's events, but not their values: left out",
			(unsigned long long)t->odd);
	return 0;
}

/* ---- writing ---- */

static int by_time(const void *a, const void *b)
{
	const hb_tasks_event *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->line < y->line ? -1 : 1;
}

/* Sorts them, and ends where the farm went on without a process that died: there its tree is another one. */
static int arrange(struct tvm *t)
{
	hb_tasks_trace *trace = &t->trace;
	size_t all = trace->n, left_out;
	qsort(trace->event, trace->n, sizeof *trace->event, by_time);
	trace->hosts = true;
	if (!hb_tasks_before_repair(trace, &left_out))
		return hb__fail_with(HB_EXIT_RECORDING, "out of memory");
	if (left_out)
		hb__say("the farm went on without a process that died: the trace ends where that begins, %zu of %zu lines are left out",
			left_out, all);
	return 0;
}

static void put_number(hb_output *out, int64_t value, char end)
{
	hb__put_int(out, value);
	hb__put_char(out, end);
}

static void put_spec(struct tvm *t, hb_output *out)
{
	hb_tasks_spec *s = &t->trace.spec;
	/* what the farm may do at most must fit, what it did does */
	if (s->degree == 1 || (uint64_t)(s->depth - 1) * hb_tasks_bits(s) > 64)
		s->depth = t->longest + 1;
	if (!t->keeps_tasks)
		s->tasks = (uint32_t)(t->last_task + 1);
	put_number(out, s->processors, ' ');
	put_number(out, s->topology, ' ');
	put_number(out, s->tasks, ' ');
	put_number(out, s->degree, ' ');
	put_number(out, s->depth, '\n');
}

/* Microseconds with three decimals. */
static void put_line(hb_output *out, const hb_tasks_event *e)
{
	char decimals[8];
	snprintf(decimals, sizeof decimals, ".%03d ", (int)(e->time % 1000));
	hb__put_int(out, e->time / 1000);
	hb__put_text(out, decimals);
	put_number(out, e->node, ' ');
	hb__put_text(out, e->receive ? "recv " : "send ");
	put_number(out, e->other, ' ');
	put_number(out, e->task, ' ');
	hb__put_hex(out, e->sub.part);
	hb__put_char(out, '/');
	put_number(out, e->sub.length, '\n');
}

/* PREFIX of both files; it may have the suffix of one. */
static char *path_of(const hb_export *x, const char *suffix)
{
	const char *base = x->out ? x->out : x->name;
	size_t n = strlen(base);
	if (x->out && n > 4 && (!strcmp(base + n - 4, ".tvm") || !strcmp(base + n - 4, ".spf")))
		n -= 4;
	return hb__format("%.*s%s", (int)n, base, suffix);
}

static int write_files(struct tvm *t, hb_export_target *targets)
{
	int code = read_all(t);
	code = code ? code : arrange(t);
	if (!code) {
		put_spec(t, targets[0].out);
		for (size_t i = 0; i < t->trace.n; i++)
			put_line(targets[1].out, &t->trace.event[i]);
	}
	for (int i = 0; i < 2; i++) {
		char *path = hb__copy(targets[i].path);
		int bad = hb__target_end(&targets[i], !code && hb__export_step(t->x, 0));
		if (!bad && !code && hb__export_step(t->x, 0))
			hb__export_wrote(t->x, path);
		code = bad ? bad : code;
		free(path);
	}
	return code;
}

int hb__export_tvm(hb_export *x)
{
	static const char *const suffixes[] = {".spf", ".tvm"};
	struct tvm t = {.x = x, .last_task = -1};
	hb_export_target targets[2];
	if (x->out && !strcmp(x->out, "-"))
		return hb__fail_with(HB_EXIT_USAGE, "two files cannot go to standard output: name them with -o");
	for (int i = 0; i < 2; i++) {
		char *path = path_of(x, suffixes[i]);
		int code = hb__target_file(path, x->force, &targets[i]);
		free(path);
		if (code && i)
			hb__target_end(&targets[0], false);
		if (code)
			return code;
	}
	int code = write_files(&t, targets);
	hb_tasks_trace_free(&t.trace);
	return code;
}
