/* ShiViz: a line per point with a vector clock. ShiViz knows events without extent, so a call becomes one of its
 * events, or two:
 *
 *   - its enter, when other processes may depend on it (it sends, enters a collective, posts the receive of a
 *     synchronous message, or one that another thread completes),
 *   - its exit, when it may depend on other processes (it receives, probes, leaves a collective, completes a
 *     synchronous send),
 *   - both, when both hold; one event, when at most one does.
 *
 * All edges of happened-before go from enters to exits, so nothing is lost and nothing is added: what is merged is not
 * an end of an edge, but for MPI_Init, on which the other lanes depend as a whole. Components of the model's clocks
 * count calls; here they count ShiViz's events of the line that the options ask for. */
#include <stdlib.h>

#include "../show/line.h"
#include "export.h"

/* Calls of two events, a bit each, and how many there are before every 64th call. */
struct doubles {
	uint64_t *bit;
	uint32_t *before;
};

struct lane {
	struct doubles doubles;
	uint32_t low, high; /* the calls that are written; high 0: none */
	uint32_t offset;    /* events of those before low */
	char *host;
	hb_events *events; /* opened when first needed */
	hb_event event;
	hb_row inside;  /* of the call that never returned */
	uint32_t *last; /* clock of the exit that was written last, as ShiViz counts */
};

struct shiviz {
	hb_export *x;
	hb_output *out, *line; /* line: a call as text, before it goes out */
	const hb_model *m;
	uint32_t lines;
	struct lane *lane;
	uint32_t *clock;
	int code;
};

/* ---- which calls are two ---- */

static void set(uint64_t *bits, uint32_t event) { bits[event / 64] |= UINT64_C(1) << event % 64; }
static bool get(const uint64_t *bits, uint32_t event) { return bits[event / 64] >> event % 64 & 1; }

static void mark_ops(const struct shiviz *s, uint64_t **sources, uint64_t **sinks)
{
	for (uint32_t l = 0; l < s->lines; l++) {
		uint64_t n;
		const hb_op *op = hb_model_ops(s->m, l, &n);
		for (uint64_t i = 0; i < n; i++)
			if (op[i].kind == HB_OP_SEND || op[i].kind == HB_OP_ENTER || op[i].kind == HB_OP_TELL ||
				op[i].kind == HB_OP_PASS)
				set(sources[l], op[i].event);
			else if (op[i].kind != HB_OP_POST)
				set(sinks[l], op[i].event);
	}
	const hb_receive *receives = hb_model_receives(s->m);
	for (uint32_t i = 0; i < hb_model_get_info(s->m)->receives; i++)
		if (receives[i].flags & HB_ELSEWHERE ||
			(receives[i].send != HB_NO && hb_model_sends(s->m)[receives[i].send].flags & HB_SYNCHRONOUS))
			set(sources[receives[i].line], receives[i].post);
}

static void find_doubles(struct shiviz *s)
{
	const hb_line *lines = hb_model_lines(s->m);
	uint64_t **sources = hb__alloc(s->lines * sizeof *sources), **sinks = hb__alloc(s->lines * sizeof *sinks);
	for (uint32_t l = 0; l < s->lines; l++) {
		sources[l] = hb__alloc((lines[l].events / 64 + 2) * sizeof **sources);
		sinks[l] = hb__alloc((lines[l].events / 64 + 2) * sizeof **sinks);
	}
	mark_ops(s, sources, sinks);
	for (uint32_t l = 0; l < s->lines; l++) {
		struct doubles *d = &s->lane[l].doubles;
		uint32_t words = lines[l].events / 64 + 2;
		d->bit = sources[l];
		d->before = hb__alloc((words + 1) * sizeof *d->before);
		for (uint32_t i = 0; i < words; i++) {
			d->bit[i] &= sinks[l][i];
			d->before[i + 1] = d->before[i] + (uint32_t)__builtin_popcountll(d->bit[i]);
		}
		free(sinks[l]);
	}
	free(sources);
	free(sinks);
}

/* The number of the event that is the enter of a call, counted from 1 over all calls of the line. */
static uint32_t enter_of(const struct lane *l, uint32_t event)
{
	const struct doubles *d = &l->doubles;
	uint64_t below = d->bit[event / 64] & ((UINT64_C(1) << event % 64) - 1);
	return event + d->before[event / 64] + (uint32_t)__builtin_popcountll(below);
}

static bool is_double(const struct lane *l, uint32_t event) { return get(l->doubles.bit, event); }

/* A component: how many of the written events of the line are among its calls up to the enter of `event`. */
static uint32_t component(const struct lane *l, uint32_t event)
{
	if (event < l->low || !l->high)
		return 0;
	if (event > l->high)
		return enter_of(l, l->high) + is_double(l, l->high) - l->offset;
	return enter_of(l, event) - l->offset;
}

/* ---- text ---- */

static const char never_returned[] = " -> never returned";

/* A call as hbdb dump --plain prints it, without what it answered when that is not known yet. */
static void put_call(struct shiviz *s, hb_view *view, const hb_event *ev, bool never, bool answered)
{
	size_t tail = strlen(never_returned);
	view->never = never || !answered;
	view->plain = true;
	hb__put_line(s->line, view, ev);
	view->never = view->plain = false;
	if (s->line->broken) { /* more than the buffer holds: a completion of thousands of requests */
		s->line->broken = false;
		s->line->n = 0;
		hb__put_int(s->line, view->info->rank);
		hb__put_char(s->line, ':');
		hb__put_int(s->line, (int64_t)ev->row->number);
		hb__put_char(s->line, ' ');
		hb__put_text(s->line, ev->function ? ev->function->name : "unknown");
	}
	if (s->line->n && s->line->at[s->line->n - 1] == '\n')
		s->line->n--;
	if (!answered && !never && s->line->n > tail)
		s->line->n -= tail;
	size_t n = s->line->n < HB_OUT_ROOM ? s->line->n : HB_OUT_ROOM - 1;
	s->line->at[n] = 0;
	for (size_t i = 0; i < n; i++)
		if ((uint8_t)s->line->at[i] < ' ' || s->line->at[i] == 0x7f)
			s->line->at[i] = ' ';
	hb__put_clean(s->out, s->line->at, 0);
	s->line->n = 0;
	hb__put_char(s->out, '\n');
}

/* A place without spaces: the pattern ends it there. */
static void put_place(hb_output *out, const struct hb_place *place)
{
	char *text = hb__copy(place ? place->text : "-");
	for (char *p = text; *p; p++)
		if ((uint8_t)*p <= ' ' || *p == 0x7f)
			*p = '_';
	hb__put_clean(out, text, 0);
	free(text);
}

static void put_clock(struct shiviz *s, uint32_t line, uint32_t own, bool inherited)
{
	const uint32_t *clock = inherited ? s->lane[line].last : s->clock;
	bool first = true;
	hb__put_char(s->out, '{');
	for (uint32_t l = 0; l < s->lines; l++) {
		uint32_t value = l == line ? own : clock[l];
		if (!value)
			continue;
		hb__put_text(s->out, first ? "\"" : ",\"");
		hb__put_text(s->out, s->lane[l].host);
		hb__put_text(s->out, "\":");
		hb__put_int(s->out, value);
		first = false;
	}
	hb__put_char(s->out, '}');
}

/* host, clock, time, place, text: the pattern in the first line of the file. */
static void put_point(struct shiviz *s, uint32_t line, uint32_t own, bool enter, bool twofold)
{
	struct lane *l = &s->lane[line];
	const hb_line *of = &hb_model_lines(s->m)[line];
	hb_view *view = &s->x->run.views[s->x->run.log_of[of->process]];
	const hb_event *ev = &l->event;
	hb__put_text(s->out, l->host);
	hb__put_char(s->out, ' ');
	put_clock(s, line, own, enter);
	hb__put_char(s->out, ' ');
	hb__put_seconds(s->out, hb__view_ns(view, enter ? ev->row->enter : ev->row->exit));
	hb__put_char(s->out, ' ');
	put_place(s->out, hb__view_place(view, ev->row->site));
	hb__put_text(s->out, !twofold ? " " : enter ? " enter " : " exit ");
	put_call(s, view, ev, of->inside && ev->row->number == of->events, !twofold || !enter);
}

/* ---- the visit ---- */

static bool failed(struct shiviz *s, uint32_t line, const hb_error *err)
{
	uint32_t log = s->x->run.log_of[hb_model_lines(s->m)[line].process];
	s->code = hb__fail_log(s->x->run.logs.at[log].path, err);
	return false;
}

/* The lane's reader goes on to a call. */
static bool read_to(struct shiviz *s, uint32_t line, uint32_t event)
{
	struct lane *l = &s->lane[line];
	const hb_line *of = &hb_model_lines(s->m)[line];
	hb_log *log = s->x->run.logs.at[s->x->run.log_of[of->process]].log;
	hb_error err = {.status = HB_E_DAMAGED, .message = "an event of the run is missing"};
	if (!l->events && hb_events_open(log, of->lane, &l->events, &err))
		return failed(s, line, &err);
	while (!l->event.row || l->event.row->number < event) {
		int got = hb_events_next(l->events, &l->event, &err);
		if (got == 1)
			continue;
		if (got < 0 || !of->inside || event != of->events || hb_events_inside(l->events, &l->event) != 1)
			return failed(s, line, &err);
		l->inside = *l->event.row;
		l->inside.number = event;
		l->inside.lane = of->lane;
		l->event.row = &l->inside;
	}
	return true;
}

static bool visit(void *user, const hb_stamp *stamp)
{
	struct shiviz *s = user;
	uint32_t line = stamp->at.line, event = stamp->at.event;
	struct lane *l = &s->lane[line];
	const hb_line *of = &hb_model_lines(s->m)[line];
	if (event + 1 < l->low || event > l->high)
		return hb__export_step(s->x, 1);
	uint32_t own = enter_of(l, event) - l->offset;
	bool never = of->inside && event == of->events, twofold = is_double(l, event) && !never;
	for (uint32_t i = 0; i < s->lines; i++)
		s->clock[i] = component(&s->lane[i], stamp->clock[i]);
	if (!l->last)
		l->last = hb__alloc(s->lines * sizeof *l->last);
	if (event >= l->low && !read_to(s, line, event))
		return false;
	if (event < l->low)
		never = twofold = false;
	else if (never || twofold)
		put_point(s, line, own, true, twofold);
	if (event >= l->low && !never)
		put_point(s, line, own + twofold, false, twofold);
	memcpy(l->last, s->clock, s->lines * sizeof *l->last);
	return hb__export_step(s->x, 1) && !s->out->broken;
}

/* ---- the file ---- */

static char *host_name(const hb_export *x, uint32_t process, uint32_t lane)
{
	const char *called = hb_model_processes(x->run.model)[process].name;
	char *name = hb__format(*hb_rank_word(called) ? "rank%s" : "%s", called);
	char *whole = lane ? hb__format("%s.%u", name, lane) : hb__copy(name);
	free(name);
	return whole;
}

static void prepare(struct shiviz *s)
{
	const hb_export *x = s->x;
	const hb_line *lines = hb_model_lines(s->m);
	find_doubles(s);
	for (uint32_t i = 0; i < s->lines; i++) {
		struct lane *l = &s->lane[i];
		l->host = host_name(x, lines[i].process, lines[i].lane);
		l->low = x->first < HB_NO ? (uint32_t)x->first : HB_NO;
		l->low = l->low ? l->low : 1;
		l->high = x->last < lines[i].events ? (uint32_t)x->last : lines[i].events;
		if (l->high < l->low || !hb__export_wants_process(x, lines[i].process))
			l->high = 0;
		else
			l->offset = enter_of(l, l->low) - 1;
	}
}

static void write_log(struct shiviz *s)
{
	hb_error err = {0};
	hb__put_text(s->out, "(?<host>\\S+) (?<clock>\\{[^}]*\\}) (?<time>\\S+) (?<place>\\S+) (?<event>.*)\n\n");
	hb_status status = hb_clocks_run(s->x->run.model, visit, s, NULL, NULL, &err);
	if (status)
		s->code = hb__fail_log(s->x->run.path, &err);
	for (uint32_t i = 0; i < s->lines; i++) {
		hb_events_close(s->lane[i].events);
		free(s->lane[i].doubles.bit);
		free(s->lane[i].doubles.before);
		free(s->lane[i].host);
		free(s->lane[i].last);
	}
}

int hb__export_shiviz(hb_export *x)
{
	hb_export_target target;
	char *path = x->out ? hb__copy(x->out) : hb__format("%s.shiviz", x->name);
	int code = hb__target_file(path, x->force, &target);
	if (!code) {
		struct shiviz s = {.x = x, .out = target.out, .line = hb__alloc(sizeof *s.line), .m = x->run.model};
		s.line->fd = -1;
		s.lines = hb_model_get_info(s.m)->lines;
		s.lane = hb__alloc(s.lines * sizeof *s.lane);
		s.clock = hb__alloc(s.lines * sizeof *s.clock);
		prepare(&s);
		write_log(&s);
		free(s.lane);
		free(s.clock);
		free(s.line);
		code = hb__target_end(&target, !s.code && hb__export_step(x, 0));
		code = s.code ? s.code : code;
		if (!code && strcmp(path, "-") != 0 && hb__export_step(x, 0))
			hb__export_wrote(x, path);
	}
	free(path);
	return code;
}
