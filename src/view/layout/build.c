/* Building: the names of functions, and the rows of all logs once more for what the model does not keep. */
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/grow.h"
#include "view/layout/parts.h"

#define LAST_TICK (INT64_MAX / 4) /* a damaged log may say anything */
#define NAMES 65535               /* further ones get the last name */

hb_status hb__layout_fail(hb_error *err, hb_status status, const char *message)
{
	if (err) {
		*err = (hb_error){.status = status};
		strncpy(err->message, message, sizeof err->message - 1);
	}
	return status;
}

/* ---- names ---- */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static bool collect_names(hb_layout *l)
{
	const hb_process *p = hb_model_processes(l->model);
	size_t n = 0, room = 0;
	for (uint32_t i = 0; i < l->info->processes; i++) {
		uint32_t functions = p[i].log ? hb_log_get_info(p[i].log)->functions : 0;
		for (uint32_t f = 0; f < functions; f++) {
			const hb_function *function = hb_log_function(p[i].log, f);
			if (!function || !function->name)
				continue;
			if (!HB_GROW(l->name, room, n + 1))
				return false;
			l->name[n++] = function->name;
		}
	}
	if (n)
		qsort(l->name, n, sizeof *l->name, by_text);
	for (size_t i = 0; i < n; i++)
		if (l->names < NAMES && (!l->names || strcmp(l->name[l->names - 1], l->name[i])))
			l->name[l->names++] = l->name[i];
	return true;
}

static uint16_t name_of(const hb_layout *l, const char *name)
{
	const char **at = bsearch(&name, l->name, l->names, sizeof *l->name, by_text);
	return (uint16_t)(at ? at - l->name : l->names - 1);
}

const char *const *hb_layout_functions(const hb_layout *l, uint32_t *ret_n)
{
	*ret_n = l->names;
	return l->name;
}

/* What is looked up once per function of a log. */
struct known {
	uint16_t name;
	uint8_t kind;
	int8_t span; /* 1: begins one, -1: ends one */
};

/* Of what processes talk through, and what several calls of a class do differently, what a call does says it. */
static uint8_t kind_of(const hb_function *function)
{
	static const uint8_t kinds[HB_CLASSES] = {[HB_SEND] = HB_BOX_SEND,
		[HB_RECV] = HB_BOX_RECEIVE,
		[HB_COMPLETE] = HB_BOX_COMPLETE,
		[HB_PROBE] = HB_BOX_PROBE,
		[HB_COLLECTIVE] = HB_BOX_COLLECTIVE,
		[HB_USER_SENT] = HB_BOX_SEND,
		[HB_USER_RECEIVED] = HB_BOX_RECEIVE};
	_Static_assert(!HB_BOX_LOCAL, "of all other classes");
	switch (hb_meaning_of(function->name, function->cls)->does) {
	case HB_DOES_BYTES_OUT:
	case HB_DOES_DATAGRAM_OUT:
	case HB_DOES_CONNECT:
		return HB_BOX_SEND;
	case HB_DOES_BYTES_IN:
	case HB_DOES_DATAGRAM_IN:
	case HB_DOES_ACCEPT:
		return HB_BOX_RECEIVE;
	case HB_DOES_SELECT:
		return HB_BOX_PROBE;
	case HB_DOES_WAIT_CHILD:
		return HB_BOX_COMPLETE;
	default:
		return function->cls < HB_CLASSES ? kinds[function->cls] : HB_BOX_LOCAL;
	}
}

static struct known *know(const hb_layout *l, hb_log *log)
{
	uint32_t n = hb_log_get_info(log)->functions;
	struct known *known = calloc((size_t)n + 1, sizeof *known);
	for (uint32_t f = 0; known && f < n; f++) {
		const hb_function *function = hb_log_function(log, f);
		if (function && function->name)
			known[f] = (struct known){name_of(l, function->name), kind_of(function),
				(int8_t)((function->cls == HB_USER_BEGIN) - (function->cls == HB_USER_END))};
	}
	return known;
}

/* ---- rows ---- */

static bool make_track(struct hb__track *t, uint32_t n, bool many_names)
{
	size_t blocks = n / HB__TILE + 1;
	t->n = n;
	t->left = calloc((size_t)n + 1, sizeof *t->left);
	t->enter = malloc(((size_t)n + 1) * sizeof *t->enter);
	t->exit = malloc(((size_t)n + 1) * sizeof *t->exit);
	t->waited = calloc((size_t)n + 1, sizeof *t->waited);
	t->function = calloc((size_t)n + 1, sizeof *t->function);
	t->function_high = many_names ? calloc((size_t)n + 1, sizeof *t->function_high) : NULL;
	t->mark = calloc((size_t)n + 1, sizeof *t->mark);
	t->block = calloc(blocks, sizeof *t->block);
	return t->left && t->enter && t->exit && t->waited && t->function && (t->function_high || !many_names) &&
	       t->mark && t->block;
}

struct reader {
	struct hb__track *t;
	uint32_t n;
	int64_t last; /* exit of the event before */
	int64_t enter[HB__TILE], exit[HB__TILE];
	struct hb__span_reader spans;
};

static void end_block(struct reader *r)
{
	uint32_t first = (r->n - 1) / HB__TILE * HB__TILE;
	struct hb__tile *b = &r->t->block[first / HB__TILE];
	b->tick = r->enter[0];
	for (uint64_t span = (uint64_t)(r->last - b->tick); span >> b->shift > UINT32_MAX;)
		b->shift++;
	for (uint32_t i = first; i < r->n; i++) {
		r->t->enter[i] = (uint32_t)((r->enter[i - first] - b->tick) >> b->shift);
		r->t->exit[i] = (uint32_t)((r->exit[i - first] - b->tick) >> b->shift);
	}
}

static int64_t not_before(uint64_t tick, int64_t least)
{
	int64_t t = tick > LAST_TICK ? LAST_TICK : (int64_t)tick;
	return t > least ? t : least;
}

static void place_event(struct reader *r, uint64_t enter, uint64_t exit)
{
	uint32_t place = r->n % HB__TILE;
	int64_t in = not_before(enter, r->last);
	r->enter[place] = in;
	r->last = r->exit[place] = not_before(exit, in);
	if (++r->n % HB__TILE == 0 || r->n == r->t->n)
		end_block(r);
}

static void name(struct reader *r, uint16_t number)
{
	r->t->function[r->n] = (uint8_t)number;
	if (r->t->function_high)
		r->t->function_high[r->n] = (uint8_t)(number >> 8);
}

static hb_status read_rows(struct reader *r, const struct known *known, uint32_t functions, hb_cursor *cursor,
	uint32_t rows, hb_error *err)
{
	hb_row row;
	int more = 1;
	while (r->n < rows && (more = hb_cursor_next(cursor, &row, err)) == 1) {
		const struct known *k = &known[row.function < functions ? row.function : functions];
		name(r, k->name);
		if (k->span && !hb__span_take(&r->spans, k->span, k->name, r->n + 1))
			return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
		r->t->mark[r->n] = (uint8_t)(k->kind | (row.result ? HB_BOX_FAILED << HB__MARK_SHIFT : 0));
		place_event(r, row.enter, row.exit);
	}
	return more < 0 ? (hb_status)more : HB_OK;
}

static void read_inside(
	struct reader *r, const struct known *known, uint32_t functions, hb_log *log, uint32_t lane, hb_cursor *cursor)
{
	hb_lane_info info;
	hb_row row = {0};
	if (hb_log_lane(log, lane, &info) || !info.inside || hb_cursor_slot(cursor, info.inside_slot, &row))
		return;
	const struct known *k = &known[row.function < functions ? row.function : functions];
	name(r, k->name);
	r->t->mark[r->n] = (uint8_t)(k->kind | HB_BOX_INSIDE << HB__MARK_SHIFT);
	place_event(r, info.inside_enter, info.inside_enter);
}

static hb_status read_line(hb_layout *l, uint32_t number, const struct known *known, hb_error *err)
{
	const hb_line *line = &hb_model_lines(l->model)[number];
	hb_log *log = hb_model_processes(l->model)[line->process].log;
	uint32_t functions = hb_log_get_info(log)->functions;
	struct reader r = {.t = &l->track[number]};
	hb_cursor *cursor;
	if (!make_track(r.t, line->events, l->names > 256))
		return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	hb_status status = hb_cursor_open(log, line->lane, 1, &cursor, err);
	if (status)
		return status;
	status = read_rows(&r, known, functions, cursor, line->events - line->inside, err);
	if (!status && line->inside && r.n + 1 == line->events) {
		hb_row row; /* a slot is known where the cursor has come to the end */
		while (hb_cursor_next(cursor, &row, NULL) == 1)
			continue;
		read_inside(&r, known, functions, log, line->lane, cursor);
	}
	while (!status && r.n < line->events)
		place_event(&r, 0, 0);
	hb_cursor_close(cursor);
	if (!hb__span_end(&r.spans, r.t) && !status)
		status = hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	return status;
}

static void measure_span(hb_layout *l, hb_axis axis)
{
	bool any = false;
	double from = 0, to = 0;
	for (uint32_t i = 0; i < l->info->lines; i++) {
		const struct hb__track *t = &l->track[i];
		if (!t->n)
			continue;
		double begin = hb__enter(t, axis, 0), end = hb__exit(t, axis, t->n - 1);
		from = !any || begin < from ? begin : from;
		to = !any || end > to ? end : to;
		any = true;
	}
	l->from[axis] = from;
	l->to[axis] = to > from ? to : from + 1;
}

/* Each stage has its share of the progress. */
struct share {
	hb_progress *progress;
	void *user;
	double from, to;
};

static void tell(void *user, double share)
{
	const struct share *s = user;
	if (s->progress)
		s->progress(s->user, s->from + (s->to - s->from) * share);
}

static hb_status read_all(hb_layout *l, const int64_t *shift_ns, struct share *share, hb_error *err)
{
	const hb_process *p = hb_model_processes(l->model);
	uint64_t done = 0;
	for (uint32_t i = 0; i < l->info->processes; i++) {
		if (!p[i].log)
			continue;
		struct known *known = know(l, p[i].log);
		hb_status status = known ? HB_OK : hb__layout_fail(err, HB_E_MEMORY, "out of memory");
		for (uint32_t k = 0; k < p[i].nlines && !status; k++) {
			struct hb__track *t = &l->track[p[i].first_line + k];
			t->tick_ns = hb_log_get_info(p[i].log)->tick_ns;
			t->shift = shift_ns ? (double)shift_ns[i] : 0;
			status = read_line(l, p[i].first_line + k, known, err);
			done += t->n;
		}
		free(known);
		if (status)
			return status;
		tell(share, (double)done / (double)(l->info->events + 1));
	}
	return HB_OK;
}

/* ---- logical time ---- */

static bool stamp(void *user, const hb_stamp *s)
{
	hb_layout *l = user;
	struct hb__track *t = &l->track[s->at.line];
	if (s->at.event == 1)
		t->first = (uint32_t)s->lamport_enter;
	t->left[s->at.event - 1] = (uint32_t)s->lamport;
	return true;
}

/* ---- all of it ---- */

static hb_status build(hb_layout *l, const int64_t *shift_ns, hb_progress *progress, void *user, hb_error *err)
{
	struct share rows = {progress, user, 0, 0.3}, clocks = {progress, user, 0.3, 0.6},
		     races = {progress, user, 0.8, 1};
	l->info = hb_model_get_info(l->model);
	l->track = calloc((size_t)l->info->lines + 1, sizeof *l->track);
	if (!l->track || !collect_names(l))
		return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	hb_status status = read_all(l, shift_ns, &rows, err);
	status = status ? status : hb_clocks_run(l->model, stamp, l, tell, &clocks, err);
	if (status)
		return status;
	for (int axis = 0; axis < HB__AXES; axis++)
		measure_span(l, (hb_axis)axis);
	l->grain = UINT32_MAX / (l->to[HB_AXIS_PHYSICAL] - l->from[HB_AXIS_PHYSICAL]);
	if (!hb__waits_build(l) || !hb__messages_build(l) || !hb__rings_build(l))
		return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	status = hb__races_build(l, tell, &races, err);
	if (!status)
		hb__sums_build(l);
#ifdef __GLIBC__
	malloc_trim(0); /* what all the passes had for themselves stays with the process otherwise: 4 bytes an event */
#endif
	return status;
}

hb_status hb_layout_build(hb_model *model, const int64_t *shift_ns, hb_progress *progress, void *user,
	hb_layout **ret_layout, hb_error *err)
{
	hb_layout *l = calloc(1, sizeof *l);
	if (!l)
		return hb__layout_fail(err, HB_E_MEMORY, "out of memory");
	l->model = model;
	hb_status status = build(l, shift_ns, progress, user, err);
	if (status)
		hb_layout_close(l);
	else
		*ret_layout = l;
	return status;
}

void hb_layout_close(hb_layout *l)
{
	if (!l)
		return;
	hb__sieve_free(l);
	for (uint32_t i = 0; l->track && i < l->info->lines; i++) {
		struct hb__track *t = &l->track[i];
		void *all[] = {t->left, t->enter, t->exit, t->waited, t->function, t->function_high, t->mark, t->block,
			t->race, t->sent.id, t->sent.to, t->sent.arrives[0], t->sent.arrives[1], t->sent.reach, t->span,
			t->span_depth};
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			free(all[k]);
	}
	free(l->track);
	free(l->name);
	free(l->meeting);
	for (int axis = 0; axis < HB__AXES; axis++) {
		free(l->meeting_by[axis]);
		free(l->meeting_end[axis]);
	}
	free(l);
}
