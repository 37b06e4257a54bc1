/* The events of a process as one stream: its lanes are merged by the time their calls began. Between
 * threads that is not an order that MPI keeps; where calls overlap, it is a guess, and said so. */
#include "model/internal.h"

struct one {
	hb_events *events;
	hb_event event;
	uint32_t line;
	bool ended, inside; /* inside: `event` is the call that never returned */
	hb_row row;         /* of that call */
};

struct hb__stream {
	uint32_t n;
	bool given; /* the event at the top of the heap has been given */
	struct one *lane;
	uint32_t *heap, waiting; /* the lanes that have not ended; the earliest on top */
};

/* The next event of a lane; after the last one the call that it is inside of. */
static int advance(struct one *o, hb_error *err)
{
	uint64_t number = o->event.row ? o->event.row->number : 0;
	if (o->inside) {
		o->ended = true;
		return 0;
	}
	int got = hb_events_next(o->events, &o->event, err);
	if (got < 0)
		return got;
	if (got == 1)
		return 0;
	if (hb_events_inside(o->events, &o->event) != 1) {
		o->ended = true;
		return 0;
	}
	o->row = *o->event.row;
	o->row.number = number + 1;
	o->row.exit = UINT64_MAX;
	o->event.row = &o->row;
	o->inside = true;
	return 0;
}

/* Whether a lane comes before another one: by the time at which its next call began, then by number. */
static bool before(const struct hb__stream *s, uint32_t a, uint32_t b)
{
	uint64_t x = s->lane[a].event.row->enter, y = s->lane[b].event.row->enter;
	return x != y ? x < y : a < b;
}

/* Puts what stands at `at` of the heap where it belongs, downwards. */
static void sink(struct hb__stream *s, uint32_t at)
{
	uint32_t lane = s->heap[at];
	for (uint32_t child; (child = 2 * at + 1) < s->waiting; at = child) {
		if (child + 1 < s->waiting && before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!before(s, s->heap[child], lane))
			break;
		s->heap[at] = s->heap[child];
	}
	s->heap[at] = lane;
}

struct hb__stream *hb__stream_open(hb_model *m, uint32_t process, hb_error *err)
{
	const hb_process *p = &m->processes.at[process];
	struct hb__stream *s = calloc(1, sizeof *s);
	if (s) {
		s->lane = calloc(p->nlines + 1, sizeof *s->lane);
		s->heap = calloc(p->nlines + 1, sizeof *s->heap);
	}
	if (!s || !s->lane || !s->heap) {
		if (s)
			hb__stream_close(s);
		hb__no_memory(err);
		return NULL;
	}
	s->n = p->nlines;
	for (uint32_t i = 0; i < s->n; i++) {
		struct one *o = &s->lane[i];
		o->line = p->first_line + i;
		if (hb_events_open(p->log, i, &o->events, err) || (s->n > 1 && advance(o, err))) {
			hb__stream_close(s);
			return NULL;
		}
		if (s->n == 1 && !hb__by_time(p->log)) /* nothing is merged by time, then */
			hb_events_skip_times(o->events);
		if (!o->ended)
			s->heap[s->waiting++] = i;
	}
	for (uint32_t i = s->waiting / 2; i-- > 0;)
		sink(s, i);
	return s;
}

/* After a lane at the top of the heap has gone on. */
static void settle(struct hb__stream *s)
{
	if (s->lane[s->heap[0]].ended)
		s->heap[0] = s->heap[--s->waiting];
	if (s->waiting)
		sink(s, 0);
}

int hb__stream_next(struct hb__stream *s, const hb_event **ret_event, uint32_t *ret_line, hb_error *err)
{
	if (s->waiting && (s->n == 1 || s->given)) {
		int bad = advance(&s->lane[s->heap[0]], err);
		if (bad)
			return bad;
		settle(s);
	}
	s->given = true;
	if (!s->waiting)
		return 0;
	*ret_event = &s->lane[s->heap[0]].event;
	*ret_line = s->lane[s->heap[0]].line;
	return 1;
}

void hb__stream_close(struct hb__stream *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		hb_events_close(s->lane[i].events);
	free(s->heap);
	free(s->lane);
	free(s);
}
