/* Search: the events that a query describes. It reads the logs, in pieces: between two of them the lock is given to others. */
#include <stdlib.h>
#include <string.h>

#include "query.h"
#include "base/grow.h"
#include "view/answer/answer.h"
#include "view/answer/races.h"

#define PIECE 8192u        /* events between two locks */
#define READ_OVER 20000u   /* events: a seek costs as much */
#define ROWS_MOST 40000000 /* of one request; then it says that there may be more */
#define HITS_MOST 10000

struct hit {
	hb_at at;
	double x; /* of its enter, on the axis of the order */
	char *text;
};

struct search {
	struct hb_request *request;
	struct hb_query query;
	struct hit *hit;
	size_t n, room;
	uint64_t left; /* rows that may still be read */
	bool broken;   /* memory was short */
	hb_axis axis;
};

static void lock(struct search *s) { hb__view_lock(&s->request->server->lock); }
static void unlock(struct search *s) { hb__view_unlock(&s->request->server->lock); }

/* ---- hits ---- */

static void add_hit(struct search *s, hb_at at, const hb_event *ev)
{
	double exit;
	hb_text text = {0};
	if (!HB_GROW(s->hit, s->room, s->n + 1)) {
		s->broken = true;
		return;
	}
	struct hit *hit = &s->hit[s->n++];
	hit->at = at;
	hb_layout_x(s->request->server->layout, s->axis, at, &hit->x, &exit);
	hb__query_describe(&s->query, ev, &text);
	hit->text = text.at;
}

static void drop_hits(struct search *s, size_t from, size_t n)
{
	if (!n)
		return;
	for (size_t i = from; i < from + n; i++)
		free(s->hit[i].text);
	memmove(s->hit + from, s->hit + from + n, (s->n - from - n) * sizeof *s->hit);
	s->n -= n;
}

/* A reader before an event, or NULL. What lies between is read over when it is little. */
static hb_events *move(struct search *s, hb_events *events, uint32_t line, uint32_t from, uint32_t to)
{
	const hb_model *m = s->request->server->model;
	const hb_line *l = &hb_model_lines(m)[line];
	hb_log *log = hb_model_processes(m)[l->process].log;
	hb_event ev;
	if (events && to - from <= READ_OVER) {
		for (; from<to; from++, s->left -= s->left> 0)
			if (hb_events_next(events, &ev, NULL) != 1)
				break;
		return events;
	}
	hb_events_close(events);
	if (!log || hb_events_open_at(log, l->lane, to, &events, NULL))
		return NULL;
	hb_events_skip_times(events);
	return events;
}

/* Events `first` to `last` of a line, as long as fewer than `most` hits are there. Locks and unlocks. Returns the event after the last one
 * that was looked at. */
static uint32_t look(struct search *s, uint32_t line, uint32_t first, uint32_t last, size_t most)
{
	const hb_line *l = &hb_model_lines(s->request->server->model)[line];
	hb_events *events = NULL;
	hb_event ev;
	uint32_t number = first, at = first; /* at: where the reader stands */
	lock(s);
	for (uint32_t piece = 1; s->n < most && s->left && !s->broken; piece++) {
		number = hb__query_candidate(&s->query, line, number, last);
		if (number > last)
			break;
		if (piece % PIECE == 0) {
			unlock(s);
			lock(s);
		}
		events = move(s, events, line, at, number);
		bool inside = l->inside && number == l->events;
		if (!events || (inside ? hb_events_inside(events, &ev) : hb_events_next(events, &ev, NULL)) != 1) {
			number = HB_NO;
			break;
		}
		s->left--;
		if (hb__query_event(&s->query, (hb_at){line, number}, &ev))
			add_hit(s, (hb_at){line, number}, &ev);
		at = ++number;
	}
	hb_events_close(events);
	unlock(s);
	return number > last ? last + 1 : number;
}

static bool enter_line(struct search *s, uint32_t line)
{
	lock(s);
	bool may = hb__query_line(&s->query, line);
	unlock(s);
	return may;
}

/* ---- in the order of lines and events ---- */

/* Whether there may be more. */
static bool list(struct search *s, size_t limit)
{
	const hb_model *m = s->request->server->model;
	for (uint32_t line = 0; line < hb_model_get_info(m)->lines; line++) {
		if (!hb_model_lines(m)[line].events || !enter_line(s, line))
			continue;
		look(s, line, 1, hb_model_lines(m)[line].events, limit + 1);
		if (s->n > limit || !s->left || s->broken)
			break;
	}
	bool more = s->n > limit || !s->left;
	if (s->n > limit)
		drop_hits(s, limit, s->n - limit);
	return more;
}

/* ---- in the order of x, from an event on ---- */

static int forward(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	if (x->x != y->x)
		return x->x < y->x ? -1 : 1;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	return x->at.event < y->at.event ? -1 : x->at.event > y->at.event;
}

static int backward(const void *a, const void *b) { return forward(b, a); }

/* Where each line stands: all before `next` (behind it, backwards) has been looked at. */
struct walk {
	uint32_t *next; /* 0, or behind the last event: done */
	uint32_t lines;
	bool back;
};

static double enter_x(const struct search *s, hb_at at)
{
	double enter, exit;
	hb_layout_x(s->request->server->layout, s->axis, at, &enter, &exit);
	return enter;
}

/* The first event of a line behind `from` in the order of x, or the last one before it. */
static uint32_t start(const struct search *s, hb_at from, uint32_t line, bool back)
{
	if (line == from.line)
		return back ? from.event - 1 : from.event + 1;
	double x = enter_x(s, from);
	uint32_t event = hb_layout_event_at(s->request->server->layout, s->axis, line, x);
	/* at the same x lower lines come first */
	while (event && enter_x(s, (hb_at){line, event}) == x && (line > from.line))
		event--;
	return back ? event : event + 1;
}

static bool over(const struct search *s, const struct walk *w, uint32_t line)
{
	return !w->next[line] || w->next[line] > hb_model_lines(s->request->server->model)[line].events;
}

/* Looks at `events` more of a line. Of what it finds the first `limit` are enough. */
static void further(struct search *s, struct walk *w, uint32_t line, uint32_t events, size_t limit)
{
	uint32_t next = w->next[line], all = hb_model_lines(s->request->server->model)[line].events;
	size_t had = s->n;
	if (!enter_line(s, line)) {
		w->next[line] = w->back ? 0 : all + 1;
		return;
	}
	if (!w->back) {
		uint32_t last = all - next < events ? all : next + events - 1;
		w->next[line] = look(s, line, next, last, had + limit);
		return;
	}
	uint32_t first = next > events ? next - events + 1 : 1;
	look(s, line, first, next, SIZE_MAX);
	w->next[line] = first - 1;
	if (s->n - had > limit)
		drop_hits(s, had, s->n - had - limit);
}

/* How many of the sorted hits no event that is still to be looked at can come before. */
static size_t settled(struct search *s, const struct walk *w)
{
	size_t n = s->n;
	lock(s);
	for (uint32_t line = 0; line < w->lines; line++) {
		if (over(s, w, line))
			continue;
		const struct hit border = {{line, w->next[line]}, enter_x(s, (hb_at){line, w->next[line]}), NULL};
		while (n && (w->back ? backward : forward)(&s->hit[n - 1], &border) > 0)
			n--;
	}
	unlock(s);
	return n;
}

static bool walk(struct search *s, hb_at from, bool back, size_t limit)
{
	const hb_model *m = s->request->server->model;
	struct walk w = {.lines = hb_model_get_info(m)->lines, .back = back};
	size_t good = 0;
	w.next = calloc((size_t)w.lines + 1, sizeof *w.next);
	s->broken = s->broken || !w.next;
	lock(s);
	for (uint32_t line = 0; w.next && line < w.lines; line++)
		w.next[line] = start(s, from, line, back);
	unlock(s);
	bool open = true;
	for (uint32_t events = 1024; open && good <= limit && s->left && !s->broken;
		events *= events < 1u << 28 ? 4 : 1) {
		open = false;
		for (uint32_t line = 0; line < w.lines && s->left && !s->broken; line++) {
			if (!over(s, &w, line))
				further(s, &w, line, events, limit + 1);
			open = open || !over(s, &w, line);
		}
		if (s->n)
			qsort(s->hit, s->n, sizeof *s->hit, back ? backward : forward);
		good = s->left ? settled(s, &w) : s->n;
	}
	free(w.next);
	bool more = good > limit || !s->left;
	good = good > limit ? limit : good;
	drop_hits(s, good, s->n - good);
	return more;
}

/* ---- the answer ---- */

static void put_hits(struct search *s, bool more)
{
	struct hb_request *r = s->request;
	double exit, x[2];
	hb_text_put(&r->out, "{\"hits\":[");
	lock(s);
	for (size_t i = 0; i < s->n; i++) {
		const struct hit *hit = &s->hit[i];
		hb_text_put(&r->out, i ? ",{\"at\":" : "{\"at\":");
		hb__put_at(r, hit->at);
		hb_layout_x(r->server->layout, HB_AXIS_LOGICAL, hit->at, &x[0], &exit);
		hb_layout_x(r->server->layout, HB_AXIS_PHYSICAL, hit->at, &x[1], &exit);
		hb_text_format(&r->out, ",\"line\":%u,\"event\":%u,\"logical\":", hit->at.line, hit->at.event);
		hb_text_number(&r->out, x[0]);
		hb_text_put(&r->out, ",\"physical\":");
		hb_text_number(&r->out, hb__shown_x(HB_AXIS_PHYSICAL, x[1]));
		hb_text_put(&r->out, ",\"text\":");
		hb_text_json(&r->out, hit->text ? hit->text : "");
		hb_text_put(&r->out, "}");
	}
	unlock(s);
	hb_text_format(&r->out, "],\"more\":%s}", more ? "true" : "false");
}

static bool read_start(struct search *s, hb_at *ret, bool *ret_back)
{
	struct hb_request *r = s->request;
	char way[16], from[64];
	*ret = (hb_at){HB_NO, 0};
	bool given = hb__view_parameter(r, "way", way, sizeof way);
	*ret_back = given && !strcmp(way, "previous");
	if (given && !*ret_back && strcmp(way, "next") != 0) {
		hb__view_refuse(r, 400, "way must be next or previous");
		return false;
	}
	if (!hb__view_parameter(r, "from", from, sizeof from) || !*from)
		return true;
	lock(s);
	bool good = hb__view_event(r, "from", ret);
	unlock(s);
	return good;
}

void hb__answer_search(struct hb_request *r)
{
	struct search *s = calloc(1, sizeof *s);
	int64_t limit;
	hb_at from;
	bool back, more;
	if (!s) {
		hb__view_refuse(r, 500, "out of memory");
		return;
	}
	s->request = r;
	s->left = ROWS_MOST;
	if (hb__view_ready(r) && hb__view_axis(r, &s->axis) && hb__view_whole(r, "limit", 100, 1, HITS_MOST, &limit) &&
		read_start(s, &from, &back) && hb__query_read(r, &s->query)) {
		more = from.line == HB_NO ? list(s, (size_t)limit) : walk(s, from, back, (size_t)limit);
		if (s->broken)
			hb__view_refuse(r, 500, "out of memory");
		else
			put_hits(s, more);
	}
	hb__query_free(&s->query);
	drop_hits(s, 0, s->n);
	free(s->hit);
	free(s);
}
