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
	uint32_t n, last; /* last: given last */
	struct one *lane;
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

struct hb__stream *hb__stream_open(hb_model *m, uint32_t process, hb_error *err)
{
	const hb_process *p = &m->processes.at[process];
	struct hb__stream *s = calloc(1, sizeof *s);
	if (!s || !(s->lane = calloc(p->nlines + 1, sizeof *s->lane))) {
		free(s);
		hb__no_memory(err);
		return NULL;
	}
	s->n = p->nlines;
	s->last = HB_NO;
	for (uint32_t i = 0; i < s->n; i++) {
		struct one *o = &s->lane[i];
		o->line = p->first_line + i;
		if (hb_events_open(p->log, i, &o->events, err) || (s->n > 1 && advance(o, err))) {
			hb__stream_close(s);
			return NULL;
		}
		if (s->n == 1 && !hb__by_time(p->log)) /* nothing is merged by time, then */
			hb_events_skip_times(o->events);
	}
	return s;
}

static uint32_t earliest(const struct hb__stream *s)
{
	uint32_t best = HB_NO;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct one *o = &s->lane[i];
		if (!o->ended && (best == HB_NO || o->event.row->enter < s->lane[best].event.row->enter))
			best = i;
	}
	return best;
}

int hb__stream_next(struct hb__stream *s, const hb_event **ret_event, uint32_t *ret_line, hb_error *err)
{
	if (s->n == 1 || s->last != HB_NO) {
		uint32_t i = s->n == 1 ? 0 : s->last;
		int bad = advance(&s->lane[i], err);
		if (bad)
			return bad;
	}
	s->last = s->n == 1 ? 0 : earliest(s);
	if (s->last == HB_NO || s->lane[s->last].ended)
		return 0;
	*ret_event = &s->lane[s->last].event;
	*ret_line = s->lane[s->last].line;
	return 1;
}

void hb__stream_close(struct hb__stream *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		hb_events_close(s->lane[i].events);
	free(s->lane);
	free(s);
}
