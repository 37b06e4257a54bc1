/* Rows of choices from a log, with what they refer to counted anew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "format/row.h"
#include "model/distil.h"

/* ---- sets of events and of postings ---- */

struct bits {
	uint8_t *bit;
	size_t bytes;
};

struct hb_racers {
	uint32_t lanes;
	struct bits *lane;
};

static bool has_bit(const struct bits *b, uint64_t n) { return n / 8 < b->bytes && b->bit[n / 8] & (1 << n % 8); }

static bool set_bit(struct bits *b, uint64_t n)
{
	if (n / 8 >= b->bytes) {
		size_t bytes = n / 8 + n / 16 + 64;
		uint8_t *more = realloc(b->bit, bytes);
		if (!more)
			return false;
		memset(more + b->bytes, 0, bytes - b->bytes);
		b->bit = more;
		b->bytes = bytes;
	}
	b->bit[n / 8] |= (uint8_t)(1 << n % 8);
	return true;
}

hb_racers *hb_racers_create(const hb_log *log)
{
	uint32_t lanes = hb_log_get_info(log)->lanes;
	hb_racers *r = calloc(1, sizeof *r);
	struct bits *lane = calloc((size_t)lanes + 1, sizeof *lane);
	if (!r || !lane) {
		free(r);
		free(lane);
		return NULL;
	}
	*r = (hb_racers){lanes, lane};
	for (uint32_t i = 0; i < lanes; i++) {
		hb_lane_info info;
		hb_log_lane(log, i, &info);
		lane[i].bytes = info.events / 8 + 1;
		lane[i].bit = calloc(lane[i].bytes, 1);
		if (!lane[i].bit) {
			hb_racers_free(r);
			return NULL;
		}
	}
	return r;
}

void hb_racers_add(hb_racers *r, uint32_t lane, uint64_t event)
{
	if (lane < r->lanes && event / 8 < r->lane[lane].bytes)
		set_bit(&r->lane[lane], event);
}

void hb_racers_add_marks(hb_racers *r, const hb_log *log)
{
	const hb_mark *m;
	for (uint64_t i = 0; (m = hb_log_mark(log, i)); i++)
		hb_racers_add(r, m->lane, m->event);
}

static void free_bits(struct bits *b, uint32_t n)
{
	for (uint32_t i = 0; b && i < n; i++)
		free(b[i].bit);
	free(b);
}

void hb_racers_free(hb_racers *r)
{
	if (!r)
		return;
	free_bits(r->lane, r->lanes);
	free(r);
}

/* ---- what the log tells about requests ---- */

struct distiller {
	hb_log *log;
	const hb_racers *raced;
	const hb_racers *races; /* what raced, also when all is kept for a failure */
	bool events, cancels;   /* the log is at level events; MPI was told to cancel something */
	uint32_t lanes;
	struct bits *wild, *cancelling; /* level events: postings by lane */
	uint64_t said;                  /* results of the lane so far: it cannot have posted more */
	uint32_t lane;                  /* the one that is being read */
	hb_events *reader;
	int64_t last; /* posting referred to last, by what was kept */
	int64_t *results;
	size_t room;
	hb_distilled kept;
	hb_status status;
	uint64_t bad; /* the event that is not understood */
};

static bool asks_wild(const hb_event *ev)
{
	return ev->from == HB_ANY_SOURCE || (ev->from_tag == HB_ANY_TAG && ev->from != HB_PROC_NULL);
}

static bool of(const struct bits *set, uint32_t lanes, hb_reference r)
{
	return r.lane < lanes && r.posting >= 0 && has_bit(&set[r.lane], (uint64_t)r.posting);
}

#define ELSEWHERE (1u << 24) /* postings of a lane that others may refer to */

/* Which requests an event makes wild or cancels; false: out of memory. A damaged log may name any posting. */
static bool learn(struct distiller *d, const hb_event *ev)
{
	bool good = true;
	d->said += 1 + ev->row->nresults;
	if (ev->shape == HB_SHAPE_REQUEST && ev->nanswers && ev->means->does == HB_DOES_CANCEL) {
		hb_reference r = ev->answers[0].request;
		uint64_t most = r.lane == ev->row->lane ? d->said : ELSEWHERE;
		if (r.lane < d->lanes && r.posting >= 0 && (uint64_t)r.posting < most)
			good = set_bit(&d->cancelling[r.lane], (uint64_t)r.posting);
	}
	bool wild = ev->function->cls == HB_RECV && ev->shape == HB_SHAPE_NONE && asks_wild(ev);
	uint32_t n = ev->shape == HB_SHAPE_STARTED && ev->posts > ev->nanswers ? ev->nanswers : ev->posts;
	for (uint32_t i = 0; good && i < n && (uint64_t)ev->posting + i < d->said; i++) {
		bool started = ev->shape == HB_SHAPE_STARTED && of(d->wild, d->lanes, ev->answers[i].request);
		if (wild || started)
			good = set_bit(&d->wild[ev->row->lane], (uint64_t)ev->posting + i);
	}
	return good;
}

static hb_status learn_requests(struct distiller *d, hb_error *err)
{
	d->wild = calloc((size_t)d->lanes + 1, sizeof *d->wild);
	d->cancelling = calloc((size_t)d->lanes + 1, sizeof *d->cancelling);
	if (!d->wild || !d->cancelling)
		return HB_E_MEMORY;
	for (uint32_t lane = 0; lane < d->lanes; lane++) {
		hb_events *events;
		hb_event ev;
		int more;
		hb_status status = hb_events_open(d->log, lane, &events, err);
		if (status)
			return status;
		d->said = 0;
		while ((more = hb_events_next(events, &ev, err)) > 0)
			if (ev.function && !ev.malformed && !learn(d, &ev))
				more = HB_E_MEMORY;
		hb_events_close(events);
		if (more < 0)
			return (hb_status)more;
	}
	return HB_OK;
}

/* A call that failed may have run a callback that received: its rows stand before that of the call, and when they are
 * left out a replay cannot tell them from it. */
static hb_status look_for_failures(struct distiller *d, hb_error *err)
{
	for (uint32_t lane = 0; lane < d->lanes && d->raced; lane++) {
		hb_cursor *cursor;
		hb_row row;
		int more = 0;
		hb_status status = hb_cursor_open(d->log, lane, 1, &cursor, err);
		if (status)
			return status;
		while (d->raced && (more = hb_cursor_next(cursor, &row, err)) > 0) {
			const hb_function *f = row.result ? hb_log_function(d->log, row.function) : NULL;
			if (f && f->cls >= HB_RECV && f->cls <= HB_PROBE)
				d->raced = NULL;
		}
		hb_cursor_close(cursor);
		if (d->raced && more < 0)
			return (hb_status)more;
	}
	return HB_OK;
}

/* ---- which rows ---- */

static bool is_wait(const hb_event *ev)
{
	return (ev->shape == HB_SHAPE_STATUS || ev->shape == HB_SHAPE_ALL) && !ev->means->chooses;
}

/* Level events: whether level order stores it, too. Those that poll or choose say so themselves. */
static bool is_choice(const struct distiller *d, const hb_event *ev)
{
	if (ev->means->chooses || ev->shape == HB_SHAPE_CLOCK || ev->shape == HB_SHAPE_ORDER ||
		(ev->shape == HB_SHAPE_TURN && ev->used))
		return true;
	if (ev->function->cls == HB_RECV)
		return ev->shape == HB_SHAPE_MESSAGE && asks_wild(ev);
	if (ev->function->cls == HB_PROBE)
		return ev->from == HB_ANY_SOURCE || ev->from_tag == HB_ANY_TAG;
	bool yes = false;
	for (uint32_t i = 0; is_wait(ev) && !yes && i < ev->nanswers; i++)
		yes = ev->answers[i].code != HB_ST_NULL && (of(d->wild, d->lanes, ev->answers[i].request) ||
								   of(d->cancelling, d->lanes, ev->answers[i].request));
	return yes;
}

static bool is_wild(const struct distiller *d, const hb_answer *a)
{
	return a->code == HB_ST_MESSAGE && (!d->events || of(d->wild, d->lanes, a->request));
}

/* Answers wildcard receives. *ret_only: and nothing else that has to be told. */
static bool answers_wild(const struct distiller *d, const hb_event *ev, bool *ret_only)
{
	*ret_only = false;
	if (ev->function->cls == HB_RECV) {
		*ret_only = ev->shape == HB_SHAPE_MESSAGE && !ev->row->result && ev->source != HB_ABSENT;
		return ev->shape == HB_SHAPE_MESSAGE;
	}
	if (ev->function->cls != HB_COMPLETE)
		return false;
	bool wild = false, other = ev->row->result != 0 || d->cancels || !is_wait(ev);
	for (uint32_t i = 0; i < ev->nanswers; i++) {
		const hb_answer *a = &ev->answers[i];
		wild |= is_wild(d, a);
		other |= a->code == HB_ST_CANCELLED || a->code == HB_ST_ERROR || a->code == HB_ST_UNKNOWN;
	}
	*ret_only = wild && !other;
	return wild;
}

/* ---- results as level order has them ---- */

static int64_t *reference(struct distiller *d, int64_t *to, hb_reference r)
{
	if (r.lane != d->lane) {
		*to++ = 2 * (int64_t)r.lane + 1;
		*to++ = r.posting;
		return to;
	}
	*to++ = (int64_t)(2 * ((uint64_t)r.posting - ((uint64_t)d->last + 1)));
	d->last = r.posting;
	return to;
}

static int64_t *status(struct distiller *d, int64_t *to, const hb_answer *a)
{
	bool message = is_wild(d, a);
	*to++ = a->code == HB_ST_MESSAGE && !message ? HB_ST_AS_POSTED : a->code;
	if (a->code == HB_ST_NULL || a->code == HB_ST_UNKNOWN)
		return to;
	to = reference(d, to, a->request);
	if (a->code == HB_ST_ERROR)
		*to++ = a->error;
	if (message || a->code == HB_ST_ERROR) {
		*to++ = a->source;
		*to++ = a->tag;
		*to++ = -1;
	}
	return to;
}

/* The results as level order has them: the sizes of messages are no choices, and are -1 there. */
static bool encode(struct distiller *d, const hb_event *ev, hb_row *row)
{
	size_t need = (size_t)ev->nanswers * 9 + 3 + row->nresults;
	if (need > d->room) {
		int64_t *more = realloc(d->results, need * 2 * sizeof *more);
		if (!more)
			return false;
		d->results = more;
		d->room = need * 2;
	}
	int64_t *to = d->results;
	bool many = ev->shape == HB_SHAPE_SOME;
	if (ev->shape < HB_SHAPE_STATUS || ev->shape > HB_SHAPE_SOME) {
		if (row->nresults)
			memcpy(to, row->results, row->nresults * sizeof *to);
		to += row->nresults;
		if (ev->shape == HB_SHAPE_MESSAGE && ev->source != HB_ABSENT)
			d->results[2] = -1;
	} else if (row->nresults) {
		if (ev->undefined)
			*to++ = -1;
		else if (many)
			*to++ = ev->nanswers;
		for (uint32_t i = 0; i < ev->nanswers; i++) {
			if (many || ev->shape == HB_SHAPE_ANY)
				*to++ = ev->answers[i].index;
			to = status(d, to, &ev->answers[i]);
		}
	}
	row->nresults = (uint32_t)(to - d->results);
	row->results = d->results;
	return true;
}

/* ---- the filter ---- */

static hb_fate inside_fate(const struct distiller *d, const hb_row *row)
{
	const hb_function *f = hb_log_function(d->log, row->function);
	bool waits = f && f->name && (f->cls == HB_RECV || f->cls == HB_COMPLETE || f->cls == HB_PROBE);
	return waits || !d->events ? HB_FATE_KEEP : HB_FATE_DROP;
}

static hb_fate stop(struct distiller *d, hb_status why, uint64_t event)
{
	if (!d->status) {
		d->status = why;
		d->bad = event;
	}
	return HB_FATE_DROP;
}

/* The rows come in the order in which a reader of events gives them. */
static hb_fate filter(void *user, hb_row *row, int inside)
{
	struct distiller *d = user;
	hb_event ev;
	if (d->status)
		return HB_FATE_DROP;
	if (inside)
		return inside_fate(d, row);
	if (row->number == 1) {
		hb_events_close(d->reader);
		d->reader = NULL;
		d->lane = row->lane;
		d->last = -1;
		hb_status status = hb_events_open(d->log, row->lane, &d->reader, NULL);
		if (status)
			return stop(d, status, 1);
	}
	int more = hb_events_next(d->reader, &ev, NULL);
	if (more != 1 || ev.malformed || ev.used != ev.row->nresults)
		return stop(d, more < 0 ? (hb_status)more : HB_E_DAMAGED, row->number);
	if (d->events && !is_choice(d, &ev))
		return HB_FATE_DROP;
	bool only, wild = answers_wild(d, &ev, &only);
	bool raced = d->races && row->lane < d->races->lanes && has_bit(&d->races->lane[row->lane], row->number);
	if (only && d->raced && !raced) {
		d->kept.skipped++;
		return HB_FATE_SKIP;
	}
	d->kept.kept += wild;
	if (wild && d->races)
		*(raced ? &d->kept.raced : d->raced ? &d->kept.bound : &d->kept.failed) += 1;
	d->kept.skipped += row->skipped;
	return encode(d, &ev, row) ? HB_FATE_KEEP : stop(d, HB_E_MEMORY, row->number);
}

static hb_status failed(const struct distiller *d, hb_error *err)
{
	if (err) {
		*err = (hb_error){.status = d->status};
		if (d->status == HB_E_MEMORY)
			snprintf(err->message, sizeof err->message, "out of memory");
		else
			snprintf(err->message, sizeof err->message, "event %llu of lane %u contradicts the format",
				(unsigned long long)d->bad, d->lane);
	}
	return d->status;
}

hb_status hb_distil(hb_log *log, const char *to, const hb_racers *raced, hb_distilled *ret_kept, hb_error *err)
{
	const hb_log_info *info = hb_log_get_info(log);
	struct distiller d = {.log = log,
		.raced = raced,
		.races = raced,
		.events = info->level == HB_LEVEL_EVENTS,
		.cancels = hb_log_calls(log, HB_DOES_CANCEL),
		.lanes = info->lanes};
	hb_status status = d.events ? learn_requests(&d, err) : HB_OK;
	status = status ? status : look_for_failures(&d, err);
	if (!status)
		status = hb_log_distil(log, to, filter, &d, err);
	if (!status && d.status) {
		status = failed(&d, err);
		remove(to);
	}
	free_bits(d.wild, d.lanes);
	free_bits(d.cancelling, d.lanes);
	hb_events_close(d.reader);
	free(d.results);
	if (ret_kept)
		*ret_kept = d.kept;
	return status;
}

hb_status hb_distilled_count(hb_log *log, hb_distilled *ret, hb_error *err)
{
	struct distiller d = {.log = log, .lanes = hb_log_get_info(log)->lanes};
	*ret = (hb_distilled){0};
	for (uint32_t lane = 0; lane < d.lanes; lane++) {
		hb_events *events;
		hb_event ev;
		hb_lane_info info;
		int more;
		bool only;
		hb_status status = hb_events_open(log, lane, &events, err);
		if (status)
			return status;
		while ((more = hb_events_next(events, &ev, err)) > 0) {
			ret->skipped += ev.row->skipped;
			ret->kept += ev.function && answers_wild(&d, &ev, &only);
		}
		hb_events_close(events);
		if (more < 0)
			return (hb_status)more;
		if (!hb_log_lane(log, lane, &info))
			ret->skipped += info.skipped;
	}
	return HB_OK;
}
