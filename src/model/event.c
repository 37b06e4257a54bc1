/* Decodes the results of rows. Every read is checked: a log may be damaged. */
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "format/row.h"

/* What is looked up once per function of a log. */
struct known {
	bool ready;
	const hb_meaning *means;
	int8_t peer, source, tag, source_tag, comm, count, type; /* places of arguments, -1: none */
};

/* A call with its arguments. function NULL: the log does not define it. */
struct call {
	const hb_function *function;
	const struct known *known;
	int64_t peer, tag, from, from_tag, comm, bytes;
	bool wild, choice, bare; /* bare: level order, arguments are not recorded */
};

#define MOST_CALLS 65536 /* that are remembered */

struct hb_events {
	hb_log *log;
	hb_cursor *cursor;
	uint32_t lane;
	int64_t posted;      /* postings so far */
	int64_t base;        /* ... before the first event: a ring gave it up */
	int64_t last;        /* posting referred to last */
	uint64_t clock;      /* bits of the last time */
	struct known *known; /* by function number */
	uint32_t functions;
	struct remembered {
		uint32_t era;
		struct call call;
	} * call; /* by slot */
	uint32_t calls;
	struct call other; /* one that is not remembered */
	hb_row row;
	hb_answer *answers;
	uint32_t room;
	uint8_t *wild;            /* a bit per posting: it had a wildcard */
	size_t wild_room;         /* bytes */
	const hb_waymarks *marks; /* NULL: read from the start */
};

#define MARK_EVERY 16384u /* events; a seek decodes a block of the log, of up to 65536 */

struct hb_waymarks {
	struct mark {
		int64_t posted, last;
		uint64_t clock;
	} * at; /* the k-th stands before event k * MARK_EVERY + 1 */
	size_t n;
	uint8_t *wild; /* of the whole lane: a posting is marked once, before anything refers to it */
	size_t wild_room;
};

static hb_status out_of_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

hb_status hb_events_open_at(hb_log *log, uint32_t lane, uint64_t from, hb_events **ret, hb_error *err)
{
	hb_events *e = calloc(1, sizeof *e);
	if (!e)
		return out_of_memory(err);
	e->log = log;
	e->lane = lane;
	e->last = -1;
	e->functions = hb_log_get_info(log)->functions;
	e->known = calloc((size_t)e->functions + 1, sizeof *e->known);
	hb_status status = e->known ? hb_cursor_open(log, lane, from, &e->cursor, err) : out_of_memory(err);
	if (status) {
		free(e->known);
		free(e);
		return status;
	}
	hb_lane_info info;
	if (hb_log_before(log) && !hb_log_lane(log, lane, &info)) {
		e->posted = e->base = (int64_t)info.posted_before;
		e->last = info.referred_before;
		e->clock = info.clock_before;
	}
	*ret = e;
	return HB_OK;
}

hb_status hb_events_open(hb_log *log, uint32_t lane, hb_events **ret, hb_error *err)
{
	return hb_events_open_at(log, lane, 1, ret, err);
}

void hb_events_close(hb_events *e)
{
	if (!e)
		return;
	hb_cursor_close(e->cursor);
	free(e->known);
	free(e->call);
	free(e->answers);
	free(e->wild);
	free(e);
}

/* ---- what a function is ---- */

static int8_t place(const hb_function *f, const char *const *names)
{
	for (; *names; names++)
		for (uint32_t i = 0; i < f->nargs && i < 127; i++)
			if (!strcmp(f->arg_name[i], *names))
				return (int8_t)i;
	return -1;
}

static const struct known *look_up(hb_events *e, uint32_t number, const hb_function *f)
{
	static const char *const peers[] = {"dest", "source", "root", "rank", "target_rank", NULL};
	static const char *const tags[] = {"tag", "sendtag", NULL};
	static const char *const sources[] = {"source", NULL}, *const source_tags[] = {"tag", "recvtag", NULL};
	static const char *const comms[] = {"comm", "comm_old", "local_comm", "intercomm", NULL};
	static const char *const counts[] = {"count", "sendcount", "origin_count", "recvcount", NULL};
	static const char *const types[] = {"datatype", "sendtype", "origin_datatype", "recvtype", NULL};
	struct known *k = &e->known[number];
	if (!k->ready)
		*k = (struct known){.ready = true,
			.means = hb_meaning_of(f->name, f->cls),
			.peer = place(f, peers),
			.source = place(f, sources),
			.tag = place(f, tags),
			.source_tag = place(f, source_tags),
			.comm = place(f, comms),
			.count = place(f, counts),
			.type = place(f, types)};
	return k;
}

static int64_t argument(const hb_row *row, int8_t at)
{
	return at >= 0 && (uint32_t)at < row->nargs ? row->arg[at] : HB_ABSENT;
}

int64_t hb_event_argument(const hb_event *event, const char *name)
{
	const char *names[] = {name, NULL};
	return event->function ? argument(event->row, place(event->function, names)) : HB_ABSENT;
}

/* ---- results ---- */

static int64_t take(hb_event *ev)
{
	if (ev->used < ev->row->nresults)
		return ev->row->results[ev->used++];
	ev->malformed = true;
	return 0;
}

static hb_reference take_reference(hb_events *e, hb_event *ev)
{
	int64_t n = take(ev);
	if (ev->malformed)
		return (hb_reference){e->lane, -1};
	if (n & 1) {
		uint32_t lane = (uint32_t)((uint64_t)(n - 1) / 2);
		return (hb_reference){lane, take(ev)};
	}
	/* unsigned, for a damaged log may ask for anything */
	e->last = (int64_t)((uint64_t)(n / 2) + 1 + (uint64_t)e->last);
	return (hb_reference){e->lane, e->last};
}

/* Of a request that was under way when the events begin. */
static bool before_wild(const hb_events *e, int64_t posting)
{
	const hb_before *b = hb_log_before(e->log);
	for (uint64_t i = 0; b && i < b->requests; i++) {
		const hb_before_request *q = &b->request[i];
		bool it = q->posting == posting && q->lane == e->lane;
		const hb_function *f = it ? hb_log_function(e->log, q->function) : NULL;
		for (uint32_t k = 0; f && k < q->nargs && k < f->nargs; k++)
			if ((!strcmp(f->arg_name[k], "source") && q->arg[k] == HB_ANY_SOURCE) ||
				(f->arg_kind[k] == HB_RECORDED_TAG && q->arg[k] == HB_ANY_TAG))
				return true;
	}
	return false;
}

static bool was_wild(const hb_events *e, hb_reference r)
{
	if (r.lane != e->lane)
		return true; /* not known here: it was told, so take it for one */
	uint64_t n = (uint64_t)r.posting;
	if (r.posting < 0)
		return false;
	if (r.posting < e->base)
		return before_wild(e, r.posting);
	n -= (uint64_t)e->base;
	if (e->marks)
		return n / 8 < e->marks->wild_room && e->marks->wild[n / 8] & (1 << n % 8);
	return n / 8 < e->wild_room && e->wild[n / 8] & (1 << n % 8);
}

/* The answers of one event lie in one array that only grows. */
static hb_answer *add_answer(hb_events *e, hb_event *ev)
{
	if (ev->nanswers == e->room) {
		uint32_t room = e->room ? e->room * 2 : 16;
		hb_answer *more = realloc(e->answers, room * sizeof *more);
		if (!more) {
			ev->malformed = true;
			return NULL;
		}
		e->answers = more;
		e->room = room;
	}
	ev->answers = e->answers;
	hb_answer *a = &e->answers[ev->nanswers++];
	*a = (hb_answer){.index = HB_ABSENT,
		.request = {e->lane, -1},
		.source = HB_ABSENT,
		.tag = HB_ABSENT,
		.bytes = HB_ABSENT,
		.digest = HB_ABSENT};
	return a;
}

static void take_status(hb_events *e, hb_event *ev, int64_t index)
{
	hb_answer *a = add_answer(e, ev);
	if (!a)
		return;
	int64_t code = take(ev);
	a->index = index;
	a->code = code == HB_ST_CONTENTS ? HB_ST_AS_POSTED : (uint8_t)code;
	if (code < 0 || code > HB_ST_CONTENTS)
		ev->malformed = true;
	if (ev->malformed || code == HB_ST_NULL || code == HB_ST_UNKNOWN)
		return;
	a->request = take_reference(e, ev);
	if (code == HB_ST_ERROR)
		a->error = take(ev);
	if (code == HB_ST_MESSAGE || code == HB_ST_ERROR) {
		a->source = take(ev);
		a->tag = take(ev);
		a->bytes = take(ev);
	}
	if (code == HB_ST_CONTENTS)
		a->digest = take(ev);
	if (code == HB_ST_CANCELLED || (code == HB_ST_MESSAGE && was_wild(e, a->request)))
		ev->choice = true;
}

static void take_message(hb_event *ev)
{
	if (ev->row->nresults - ev->used < 3)
		return;
	ev->source = take(ev);
	ev->source_tag = take(ev);
	ev->bytes = take(ev);
}

static void take_references(hb_events *e, hb_event *ev, bool all)
{
	while (ev->used < ev->row->nresults && !ev->malformed) {
		hb_answer *a = add_answer(e, ev);
		if (a)
			a->request = take_reference(e, ev);
		if (!all)
			break;
	}
}

static void take_indexed(hb_events *e, hb_event *ev)
{
	int64_t n = take(ev);
	if (n < 0)
		ev->undefined = true;
	else if (ev->shape == HB_SHAPE_ANY)
		take_status(e, ev, n);
	else
		for (; n && !ev->malformed; n--)
			take_status(e, ev, take(ev));
}

static void decode_results(hb_events *e, hb_event *ev)
{
	switch (ev->shape) {
	case HB_SHAPE_NONE:
		break;
	case HB_SHAPE_MESSAGE:
		take_message(ev);
		break;
	case HB_SHAPE_STARTED:
		take_references(e, ev, true);
		break;
	case HB_SHAPE_MATCHED:
	case HB_SHAPE_REQUEST:
		take_references(e, ev, false);
		break;
	case HB_SHAPE_STATUS:
		take_status(e, ev, HB_ABSENT);
		break;
	case HB_SHAPE_ALL:
		while (ev->used < ev->row->nresults && !ev->malformed)
			take_status(e, ev, HB_ABSENT);
		break;
	case HB_SHAPE_ANY:
	case HB_SHAPE_SOME:
		take_indexed(e, ev);
		break;
	case HB_SHAPE_COMM:
		ev->made = take(ev);
		break;
	case HB_SHAPE_WINDOW: /* not told by recordings made before it was */
		if (ev->row->nresults)
			ev->window = take(ev);
		break;
	case HB_SHAPE_TURN:
		ev->choice = ev->row->nresults != 0;
		__attribute__((fallthrough));
	case HB_SHAPE_FETCHED:
		while (ev->used < ev->row->nresults)
			take(ev);
		break;
	case HB_SHAPE_CLOCK:
		e->clock += (uint64_t)take(ev);
		memcpy(&ev->clock, &e->clock, sizeof ev->clock);
		break;
	case HB_SHAPE_ORDER:
		while (ev->used < ev->row->nresults)
			take(ev);
		ev->malformed = ev->used < 2;
		break;
	case HB_SHAPE_VALUES:
		while (ev->used < ev->row->nresults && ev->used < ev->function->nvalues)
			take(ev);
		while (ev->means->repeats && ev->used < ev->row->nresults)
			take(ev);
		/* of a socket less may be told: of a call that failed its error alone */
		ev->malformed = HB_IS_SOCKET(ev->means->cls) ? !ev->used : ev->used < ev->function->nvalues;
		if (ev->means->does == HB_DOES_KEYED_SEND || ev->means->does == HB_DOES_KEYED_RECEIVE)
			ev->bytes = hb_event_value(ev, "bytes");
		break;
	}
}

/* ---- postings ---- */

static void mark_wild(hb_events *e, uint64_t posting)
{
	if (e->marks)
		return;
	size_t need = posting / 8 + 1;
	if (need > e->wild_room) {
		size_t room = need * 2 + 64;
		uint8_t *more = realloc(e->wild, room);
		if (!more)
			return; /* costs only the mark of a choice */
		memset(more + e->wild_room, 0, room - e->wild_room);
		e->wild = more;
		e->wild_room = room;
	}
	e->wild[posting / 8] |= (uint8_t)(1 << posting % 8);
}

static void post(hb_events *e, hb_event *ev, const struct known *k, bool wild)
{
	if (ev->row->result)
		return;
	int64_t count = 1;
	if (k->means->posts == HB_POSTS_COUNT)
		count = ev->row->nargs ? hb_event_argument(ev, "count") : (int64_t)ev->nanswers;
	if (count < 0 || count > INT32_MAX) {
		ev->malformed = true;
		return;
	}
	ev->posts = (uint32_t)count;
	ev->posting = e->posted;
	for (int64_t i = 0; i < count; i++) {
		bool from_wild = k->means->posts == HB_POSTS_COUNT || ev->shape == HB_SHAPE_STARTED
					 ? i < ev->nanswers && was_wild(e, ev->answers[i].request)
					 : wild;
		if (from_wild)
			mark_wild(e, (uint64_t)(e->posted + i - e->base));
	}
	e->posted += count;
}

/* ---- calls: what a row says before its results ---- */

static void understand(hb_events *e, const hb_row *row, struct call *ret)
{
	const hb_function *f = hb_log_function(e->log, row->function);
	if (!f || !f->name || row->function >= e->functions) {
		*ret = (struct call){0};
		return;
	}
	const struct known *k = look_up(e, row->function, f);
	hb_shape shape = k->means->shape;
	*ret = (struct call){.function = f,
		.known = k,
		.peer = argument(row, k->peer),
		.tag = argument(row, k->tag),
		.comm = argument(row, k->comm),
		.from = argument(row, k->source),
		.from_tag = argument(row, k->source_tag),
		.bytes = HB_ABSENT};
	int64_t count = argument(row, k->count), type = argument(row, k->type);
	const hb_datatype *datatype = type >= 0 && type < HB_NO ? hb_log_datatype(e->log, (uint32_t)type) : NULL;
	if (count >= 0 && datatype)
		ret->bytes = (int64_t)((uint64_t)count * datatype->size);
	ret->wild = k->source >= 0 && (ret->from == HB_ANY_SOURCE || ret->from_tag == HB_ANY_TAG);
	bool blocking = k->means->posts == HB_POSTS_NONE || shape == HB_SHAPE_MESSAGE;
	ret->choice = k->means->chooses || (ret->wild && blocking) || shape == HB_SHAPE_CLOCK;
	ret->bare = !row->nargs && !f->nargs && shape == HB_SHAPE_MESSAGE;
}

/* A call is understood once: rows of the same slot and era are the same call. */
static const struct call *call_of(hb_events *e, const hb_row *row)
{
	uint32_t slot = row->slot;
	if (slot < e->calls && e->call[slot].era == row->era && row->era)
		return &e->call[slot].call;
	if (slot >= e->calls && slot < MOST_CALLS) {
		uint32_t room = slot * 2 + 64;
		struct remembered *more = realloc(e->call, room * sizeof *more);
		if (more) {
			memset(more + e->calls, 0, (room - e->calls) * sizeof *more);
			e->call = more;
			e->calls = room;
		}
	}
	if (slot >= e->calls) {
		understand(e, row, &e->other);
		return &e->other;
	}
	e->call[slot].era = row->era;
	understand(e, row, &e->call[slot].call);
	return &e->call[slot].call;
}

/* Every member is set by itself: clearing all of them first would take longer than the rest. */
static void decode(hb_events *e, hb_event *ev)
{
	const hb_row *row = &e->row;
	const struct call *c = call_of(e, row);
	ev->row = row;
	ev->function = c->function;
	ev->means = c->function ? c->known->means : hb_meaning_of("", HB_SPECIAL);
	ev->shape = ev->means->shape;
	ev->source = ev->source_tag = ev->made = ev->window = HB_ABSENT;
	ev->posts = ev->nanswers = ev->used = 0;
	ev->posting = -1;
	ev->undefined = ev->choice = false;
	ev->clock = 0;
	ev->answers = NULL;
	ev->malformed = !c->function;
	if (!c->function) {
		ev->peer = ev->tag = ev->from = ev->from_tag = ev->comm = ev->bytes = HB_ABSENT;
		return;
	}
	ev->peer = c->peer;
	ev->tag = c->tag;
	ev->from = c->from;
	ev->from_tag = c->from_tag;
	ev->comm = c->comm;
	ev->bytes = c->bytes;
	if (row->nresults)
		decode_results(e, ev);
	ev->choice = ev->choice || c->choice || (c->bare && row->nresults);
	if (c->known->means->posts != HB_POSTS_NONE)
		post(e, ev, c->known, c->wild);
}

void hb_events_skip_times(hb_events *e) { hb_cursor_skip_times(e->cursor); }

int hb_events_next(hb_events *e, hb_event *ret, hb_error *err)
{
	int got = hb_cursor_next(e->cursor, &e->row, err);
	if (got != 1)
		return got;
	decode(e, ret);
	return 1;
}

/* A call of which nothing is known but its slot. */
static int decode_slot(hb_events *e, uint32_t slot, uint64_t enter, hb_event *ret)
{
	memset(&e->row, 0, sizeof e->row);
	e->row.lane = e->lane;
	if (hb_cursor_slot(e->cursor, slot, &e->row))
		return 0;
	e->row.enter = enter;
	e->row.nresults = 0;
	decode(e, ret);
	return ret->function && ret->function->name;
}

int hb_events_inside(hb_events *e, hb_event *ret)
{
	hb_lane_info lane;
	if (hb_log_lane(e->log, e->lane, &lane) || !lane.inside)
		return 0;
	return decode_slot(e, lane.inside_slot, lane.inside_enter, ret);
}

int hb_events_polling(hb_events *e, hb_event *ret)
{
	hb_lane_info lane;
	if (hb_log_lane(e->log, e->lane, &lane) || !lane.polling)
		return 0;
	return decode_slot(e, lane.polling_slot, 0, ret);
}

/* ---- from anywhere ---- */

static bool add_mark(hb_waymarks *m, const hb_events *e)
{
	if (!(m->n & (m->n - 1))) {
		struct mark *more = realloc(m->at, (m->n ? 2 * m->n : 1) * sizeof *more);
		if (!more)
			return false;
		m->at = more;
	}
	m->at[m->n++] = (struct mark){e->posted, e->last, e->clock};
	return true;
}

void hb_waymarks_free(hb_waymarks *m)
{
	if (!m)
		return;
	free(m->at);
	free(m->wild);
	free(m);
}

hb_status hb_waymarks_make(hb_log *log, uint32_t lane, hb_waymarks **ret, hb_error *err)
{
	hb_events *e;
	hb_event ev;
	hb_status status = hb_events_open(log, lane, &e, err);
	if (status)
		return status;
	hb_waymarks *m = calloc(1, sizeof *m);
	bool room = m != NULL;
	hb_events_skip_times(e);
	/* an error ends the lane here as it does for everybody else who reads it */
	for (uint64_t n = 0; room; n++)
		if ((n % MARK_EVERY == 0 && !(room = add_mark(m, e))) || hb_events_next(e, &ev, NULL) != 1)
			break;
	if (room) {
		m->wild = e->wild;
		m->wild_room = e->wild_room;
		e->wild = NULL;
	}
	hb_events_close(e);
	if (!room) {
		hb_waymarks_free(m);
		return out_of_memory(err);
	}
	*ret = m;
	return HB_OK;
}

hb_status hb_events_open_marked(
	hb_log *log, uint32_t lane, const hb_waymarks *marks, uint64_t from, hb_events **ret, hb_error *err)
{
	hb_event ev;
	size_t k = from ? (size_t)((from - 1) / MARK_EVERY) : 0;
	k = k < marks->n ? k : marks->n - 1;
	uint64_t at = (uint64_t)k * MARK_EVERY + 1;
	hb_status status = hb_events_open_at(log, lane, at, ret, err);
	if (status)
		return status;
	hb_events *e = *ret;
	e->marks = marks;
	e->posted = marks->at[k].posted;
	e->last = marks->at[k].last;
	e->clock = marks->at[k].clock;
	while (at < from && hb_events_next(e, &ev, NULL) == 1)
		at++;
	return HB_OK;
}

uint8_t hb_answer_fate(const hb_answer *a)
{
	return a->code == HB_ST_CONTENTS || a->code == HB_ST_MESSAGE ? HB_ST_AS_POSTED : a->code;
}
