/* The nest of constructs, points, and the marks by which a program tells them. */
#include <hbdb/event.h>
#include <string.h>

#include "capture/accesses/front/front.h"

struct hb__open hb__nest[HB__NEST];
unsigned hb__depth;
uint64_t hb__parallel;
bool hb__iterations, hb__details;
struct hb__open *hb__team;

static uint64_t points;     /* constructs with a point outside of all tasks, so far */
static hb_point here;       /* the last point that the process came by */
static bool region_told[2]; /* of start and of finish */
static unsigned beyond;     /* constructs that are open and for which the nest has no room */

/* ---- what is wanted here ---- */

hb_trace_level hb__level_now(void)
{
	const struct hb__open *o = hb__innermost();
	return o && o->construct ? o->construct->level : hb__wanted.level;
}

static bool limited(void)
{
	for (unsigned i = 0; i < hb__depth; i++)
		if (hb__loop_limited(&hb__nest[i]))
			return true;
	return false;
}

/* Accesses say which arrays a construct touches where nobody has told. */
static bool asks_for_touched(const struct hb__open *o)
{
	return o && o->construct && o->construct->level == HB_TRACE_CHECKSUM && hb__watcher.present &&
	       (hb__wanted.trap_anyway || !o->construct->wanted || !o->construct->wanted->knows_arrays);
}

void hb__look_again(void)
{
	const struct hb__open *o = hb__innermost();
	hb_trace_level level = hb__level_now();
	bool details = hb__tracing_state == HB__TRACE_ON &&
		       (o ? o->within : hb_point_within(&hb__wanted.start, &hb__wanted.finish, &here));
	for (unsigned i = 0; details && i < hb__depth; i++)
		details = !hb__nest[i].skips && !hb__nest[i].ignored;
	hb__details = details;
	uint32_t watched = 0;
	if (details && level == HB_TRACE_MODIFY)
		watched = HB__WATCH_WRITES;
	else if (details && level == HB_TRACE_FULL)
		watched = HB__WATCH_WRITES | HB__WATCH_READS;
	else if (details && asks_for_touched(o))
		watched = HB__WATCH_TOUCHED;
	if (details && hb__wanted.dry)
		watched = HB__WATCH_WRITES | HB__WATCH_READS | HB__WATCH_TOUCHED;
	if (hb__wanted.control && hb__tracing_state == HB__TRACE_ON)
		watched |= HB__WATCH_CONTROL;
	hb__watched = watched;
	bool levels = level == HB_TRACE_MINIMAL || level == HB_TRACE_MODIFY || level == HB_TRACE_FULL;
	hb__iterations =
		hb__tracing_state == HB__TRACE_ON && o && !o->ignored &&
		((details && (levels || hb__wanted.dry)) || limited() || (hb__watcher.iterates && hb__wanted.control));
}

static bool within(const hb_point *at) { return hb_point_within(&hb__wanted.start, &hb__wanted.finish, at); }

/* ---- records ---- */

uint8_t *hb__str(uint8_t *w, const char *s)
{
	size_t n = s ? strnlen(s, HB__TEXT_MOST) : 0;
	w = hb__uv(w, n);
	memcpy(w, n ? s : "", n);
	return w + n;
}

uint8_t *hb__point(uint8_t *w, const hb_point *point)
{
	w = hb__uv(w, point->number);
	w = hb__uv(w, point->nested);
	if (!point->nested)
		return w;
	w = hb__uv(w, point->task);
	return hb__uv(w, point->inner);
}

static void put_border(struct hb__thread *t, hb_trace_kind kind, const struct hb__open *o)
{
	if (o->construct->level == HB_TRACE_NONE || !hb__put_begin(t, 8 * HB__UV, false))
		return;
	uint8_t *w = hb__uv(t->w, kind);
	w = hb__uv(w, o->construct->number);
	w = hb__point(w, &o->point);
	w = hb__uv(w, hb__door->events());
	t->w = hb__uv(w, hb__now());
	hb__put_done(t);
}

static void put_event(const struct hb__open *o, int kind, const void *pc, const void *cfa)
{
	const hb_point *p = &o->point;
	if (!p->number)
		return;
	hb_value value[3] = {hb_integer("point", (int64_t)p->number)};
	unsigned n = 1;
	if (p->nested) {
		value[0].name = "region";
		value[1] = hb_integer("task", (int64_t)p->task);
		value[2] = hb_integer("point", (int64_t)p->inner);
		n = 3;
	}
	hb__door->event(kind, o->construct->event, n, value, pc, cfa);
}

static void trouble_nest(struct hb__thread *t, const struct hb__construct *c, const char *what, const char *name)
{
	static unsigned told;
	if (told++ < 100)
		hb__put_trouble(t, HB_TROUBLE_NEST, c ? c->number : 0, "%s \"%s\"", what, name ? name : "");
}

/* ---- points ---- */

/* The number that a parallel construct gets where it stands; false: none. */
static bool number(struct hb__thread *t, const struct hb__construct *c, hb_point *ret)
{
	struct hb__open *region = NULL;
	for (unsigned i = 0; i < hb__depth; i++) {
		if (hb__nest[i].quiet)
			return false;
		if (hb__nest[i].construct && hb__nest[i].construct->type == HB_CONSTRUCT_REGION)
			region = &hb__nest[i];
	}
	if (!region) {
		*ret = (hb_point){.number = ++points};
		return true;
	}
	if (!region->in_task) {
		trouble_nest(t, c, "it stands in a region before the first hb_task there, and has no point:", c->name);
		return false;
	}
	*ret = (hb_point){
		.number = region->point.number, .nested = true, .task = region->task, .inner = ++region->inner};
	return true;
}

/* A start or a finish in a task of what turns out to be no region: it is all of it that is meant. */
static void look_at_limits(struct hb__thread *t, const struct hb__construct *c, const hb_point *at)
{
	hb_point *limit[2] = {&hb__wanted.start, &hb__wanted.finish};
	for (unsigned i = 0; i < 2; i++) {
		if (likely(!limit[i]->nested || at->nested || limit[i]->number != at->number ||
			    c->type == HB_CONSTRUCT_REGION) ||
			region_told[i])
			continue;
		region_told[i] = true;
		char text[HB_POINT_TEXT];
		hb_point_text(limit[i], text);
		*limit[i] = (hb_point){.number = at->number, .end = i == 1};
		hb__put_trouble(t, HB_TROUBLE_REGION, c->number,
			"%s is in a task of a region, but %llu is no region: the whole construct is taken", text,
			(unsigned long long)at->number);
	}
}

/* ---- begin and end ---- */

static void settle(struct hb__thread *t)
{
	if (unlikely(hb__watcher.settles != NULL))
		hb__watcher.settles(t);
}

static struct hb__open *push(void)
{
	struct hb__open *o = &hb__nest[hb__depth];
	*o = (struct hb__open){0};
	return o;
}

static bool is_parallel(hb_construct_type type) { return type != HB_CONSTRUCT_SEQUENTIAL; }

void hb__begin(struct hb__thread *t, hb_construct_type type, const char *name, const char *file, int line,
	const char *function, const void *pc, const void *cfa)
{
	settle(t);
	struct hb__construct *parent = hb__depth ? hb__innermost()->construct : NULL;
	if (hb__depth == HB__NEST) {
		if (!beyond++)
			trouble_nest(t, parent, "the nest is too deep for", name);
		return;
	}
	struct hb__construct *c = hb__construct_of(t, parent, type, name, file, line, function);
	if (!c) {
		hb__begin_ignored(t);
		return;
	}
	struct hb__open o = {.construct = c};
	bool inside_quiet = hb__depth && hb__innermost()->quiet;
	bool has = is_parallel(type) && number(t, c, &o.point);
	if (has)
		look_at_limits(t, c, &o.point);
	/* in a parallel loop others do other parts: what each of them does there is not counted */
	o.quiet = inside_quiet || (is_parallel(type) && (type != HB_CONSTRUCT_REGION || !has || o.point.nested));
	if (has)
		here = o.point;
	o.within = within(&here);
	*push() = o;
	hb__depth++;
	struct hb__open *at = hb__innermost();
	if (is_parallel(type)) {
		hb__parallel++;
		put_event(at, type == HB_CONSTRUCT_POINT ? HB_KIND_EVENT : HB_KIND_BEGIN, pc, cfa);
		if (has)
			hb__arrays_untouched();
	}
	c->cost[0]++;
	put_border(t, HB_TRACE_BEGIN, at);
	if (has && type != HB_CONSTRUCT_POINT)
		hb__save_at(t, &at->point);
	if (type != HB_CONSTRUCT_POINT)
		hb__loop_begins(at);
	hb__look_again();
	if (unlikely(hb__watcher.begins != NULL))
		hb__watcher.begins(t, type, has ? &at->point : NULL);
}

void hb__begin_ignored(struct hb__thread *t)
{
	settle(t);
	if (hb__depth == HB__NEST) {
		beyond++;
		return;
	}
	struct hb__open *o = push();
	o->construct = hb__depth ? hb__innermost()->construct : NULL;
	o->quiet = o->ignored = true;
	hb__depth++;
	hb__look_again();
}

static void pop(struct hb__thread *t, const void *pc, const void *cfa)
{
	struct hb__open *o = hb__innermost();
	if (o->ignored) {
		hb__depth--;
		hb__look_again();
		return;
	}
	hb_construct_type type = o->construct->type;
	if (type == HB_CONSTRUCT_PARALLEL && hb__watcher.settle_all)
		hb__watcher.settle_all();
	o->skips = false;
	hb__loop_ends(o);
	hb__flush_others(t);
	bool has = o->point.number;
	if (has) {
		o->point.end = true;
		here = o->point;
		o->within = o->within || within(&here);
		hb__look_again();
		hb__checksums(t, o);
	}
	hb__reductions_end(t, o->construct);
	if (type != HB_CONSTRUCT_POINT)
		put_event(o, HB_KIND_END, pc, cfa);
	put_border(t, HB_TRACE_END, o);
	if (has)
		hb__save_at(t, &here);
	if (unlikely(hb__watcher.ends != NULL))
		hb__watcher.ends(t, type, has ? &here : NULL);
	hb__depth--;
	if (hb__depth && has)
		hb__innermost()->within = within(&here);
	hb__look_again();
	if (has)
		hb__flush(t);
}

void hb__end(struct hb__thread *t, hb_construct_type type, const char *name, const void *pc, const void *cfa)
{
	settle(t);
	struct hb__open *o = hb__innermost();
	if (beyond) {
		beyond--;
		return;
	}
	if (!o) {
		trouble_nest(t, NULL, "an end without a begin:", name);
		return;
	}
	if (!o->ignored && (o->construct->type != type || (name && strncmp(name, o->construct->name, 200)))) {
		unsigned i = hb__depth;
		while (i && (hb__nest[i - 1].ignored || hb__nest[i - 1].construct->type != type ||
				    (name && strncmp(name, hb__nest[i - 1].construct->name, 200))))
			i--;
		trouble_nest(t, o->construct,
			i ? "it had not ended when an outer one did:" : "it is open, and another one ends:", name);
		if (!i)
			return;
		while (hb__depth > i)
			pop(t, pc, cfa);
	}
	pop(t, pc, cfa);
}

/* ---- the marks ---- */

#define FRAME __builtin_dwarf_cfa()

static const hb_construct_type types[] = {
	HB_CONSTRUCT_PARALLEL, HB_CONSTRUCT_SEQUENTIAL, HB_CONSTRUCT_REGION, HB_CONSTRUCT_POINT};

/* Other threads have no part in the nest. */
static void tell_other_thread(const char *name)
{
	static bool told;
	struct hb__thread *t = told ? NULL : hb__thread_here();
	if (!t)
		return;
	told = true;
	hb__put_trouble(t, HB_TROUBLE_NEST, 0,
		"another thread than the first one came by the mark \"%s\": such marks are not taken",
		name ? name : "");
	hb__thread_leaves(t);
}

static void on_begin(int mark, const char *name, const char *file, int line)
{
	struct hb__thread *t = hb__first_here();
	if (!t) {
		tell_other_thread(name);
		return;
	}
	if (mark >= HB_MARK_LOOP && mark <= HB_MARK_POINT)
		hb__begin(t, types[mark], name, file, line, "", CALLER, FRAME);
	if (mark == HB_MARK_POINT && beyond)
		beyond--;
	else if (mark == HB_MARK_POINT)
		pop(t, CALLER, FRAME);
	hb__thread_leaves(t);
}

static void on_end(int mark, const char *name)
{
	struct hb__thread *t = hb__first_here();
	if (!t) {
		tell_other_thread(name);
		return;
	}
	if (mark >= HB_MARK_LOOP && mark <= HB_MARK_REGION)
		hb__end(t, types[mark], name ? name : "", CALLER, FRAME);
	hb__thread_leaves(t);
}

static void on_iteration(unsigned n, const int64_t *index)
{
	if (likely(!hb__iterations))
		return;
	struct hb__thread *t = hb__thread_here();
	if (!t)
		return;
	hb__iterate(t, n < HB_DIMENSIONS ? n : HB_DIMENSIONS, index);
	hb__thread_leaves(t);
}

static void put_task(struct hb__thread *t, int64_t task)
{
	struct hb__open *o = hb__innermost();
	if (!o || o->ignored || o->construct->type != HB_CONSTRUCT_REGION || task < 0) {
		trouble_nest(t, o ? o->construct : NULL, "a task outside of a region, or with a number below 0, in",
			o ? o->construct->name : "");
		return;
	}
	o->in_task = true;
	o->task = (uint64_t)task;
	o->inner = 0;
	here = o->point;
	if (!here.nested) {
		/* between points of a task: as at the begin of the first construct there */
		here = (hb_point){.number = o->point.number, .nested = true, .task = o->task, .inner = 1};
		o->within = within(&here);
	}
	hb__look_again();
	if (o->construct->level != HB_TRACE_NONE && hb__put_begin(t, 2 * HB__UV, false)) {
		t->w = hb__uv(hb__uv(t->w, HB_TRACE_TASK), (uint64_t)task);
		hb__put_done(t);
	}
	if (hb__watcher.task)
		hb__watcher.task(t, task);
}

static void on_task(int64_t task)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	settle(t);
	put_task(t, task);
	hb__thread_leaves(t);
}

static void on_array(const hb_array *array, const char *file, int line)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	settle(t);
	hb__array_told(t, array, file, line);
	hb__thread_leaves(t);
}

static void on_gone(const void *at)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	settle(t);
	hb__array_ends(t, at);
	hb__thread_leaves(t);
}

static void on_reduction(
	const char *name, hb_reduction how, hb_element type, const void *at, const char *file, int line)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	settle(t);
	hb__reduction_told(t, name, how, type, at, file, line);
	hb__thread_leaves(t);
}

static void on_reduced(const void *at)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	settle(t);
	hb__reduction_complete(t, at);
	hb__thread_leaves(t);
}

static void on_exchanged(const void *at, const unsigned char *sides)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	settle(t);
	struct hb__array *a = hb__array_from(at);
	if (a && hb__watcher.exchanged)
		hb__watcher.exchanged(a, sides);
	if (!a)
		hb__put_trouble(t, HB_TROUBLE_ARRAY, 0, "hb_exchanged was told of memory that is no array");
	hb__thread_leaves(t);
}

extern const struct hb_tracer hb_tracer_1;
SEEN const struct hb_tracer hb_tracer_1 = {.begin = on_begin,
	.end = on_end,
	.iteration = on_iteration,
	.task = on_task,
	.array = on_array,
	.gone = on_gone,
	.reduction = on_reduction,
	.reduced = on_reduced,
	.exchanged = on_exchanged};
