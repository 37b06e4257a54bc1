/* One event as a line of text. */
#include <string.h>

#include "calls/calls.h"
#include "format/row.h"
#include "inert.h"
#include "line.h"
#include "source.h"

const char *hb__error_class_name(int64_t number)
{
	switch (number) {
#define HB_ERROR(name, n) \
	case n:           \
		return "ERR_" #name;
#include "calls/errors.def"
#undef HB_ERROR
	default:
		return NULL;
	}
}

const char *hb__class_name(uint8_t cls)
{
	static const char *const names[] = {
		"local",
		"send",
		"recv",
		"complete",
		"probe",
		"collective",
		"comm",
		"rma",
		"io",
		"special",
#define HB_USER_CLASS(class, word, name, does, shape) word,
#include "calls/user.def"
#undef HB_USER_CLASS
		"thread",
		"stream",
		"datagram",
		"connection",
		"ready",
		"family",
	};
	return cls < sizeof names / sizeof *names ? names[cls] : "unknown";
}

/* A word where the value has one, else NULL. */
const char *hb__word(const hb_log *log, uint8_t kind, int64_t value)
{
	const hb_datatype *type;
	const char *op;
	switch (kind) {
	case HB_RECORDED_NUMBER:
	case HB_RECORDED_DIGEST:
		return value == HB_UNDEFINED ? "UNDEFINED" : NULL;
	case HB_RECORDED_RANK:
		return value == HB_ANY_SOURCE  ? "ANY"
		       : value == HB_PROC_NULL ? "PROC_NULL"
		       : value == HB_ROOT      ? "ROOT"
		       : value == HB_UNDEFINED ? "UNDEFINED"
					       : NULL;
	case HB_RECORDED_TAG:
		return value == HB_ANY_TAG ? "ANY" : value == HB_UNDEFINED ? "UNDEFINED" : NULL;
	case HB_RECORDED_COMM:
		return value == 0 ? "WORLD" : value == 1 ? "SELF" : value == HB_NONE ? "NULL" : NULL;
	case HB_RECORDED_DATATYPE:
		type = value >= 0 && value < HB_NO ? hb_log_datatype(log, (uint32_t)value) : NULL;
		return value == HB_NONE                    ? "NULL"
		       : value == HB_UNDEFINED             ? "UNDEFINED"
		       : type && type->name && *type->name ? type->name
							   : NULL;
	case HB_RECORDED_OP:
		op = value >= 0 && value < HB_NO ? hb_log_op(log, (uint32_t)value) : NULL;
		return value == HB_NONE ? "NULL" : value == HB_UNDEFINED ? "UNDEFINED" : op && *op ? op : NULL;
	case HB_RECORDED_WIN:
	case HB_RECORDED_FILE:
		return value == HB_NONE ? "NULL" : NULL;
	case HB_RECORDED_TEXT:
		return value >= 0 && value < HB_NO ? hb_log_text(log, (uint32_t)value) : NULL;
	default:
		return NULL;
	}
}

bool hb__is_number(uint8_t kind) { return kind < HB_RECORDED_DATATYPE || kind >= HB_RECORDED_REAL; }

void hb__put_value(hb_output *out, const hb_log *log, uint8_t kind, int64_t value)
{
	const char *name = hb__word(log, kind, value);
	static const char *const before[] = {"", "", "", "", "type#", "op#", "win#", "file#", "~", "text#"};
	double real;
	if (kind == HB_RECORDED_REAL) {
		memcpy(&real, &value, sizeof real);
		hb__put_real(out, real);
		return;
	}
	if (kind == HB_RECORDED_UNSIGNED) {
		hb__put_uint(out, (uint64_t)value);
		return;
	}
	if (name && kind == HB_RECORDED_TEXT) {
		hb__put_json(out, name);
		return;
	}
	if (kind == HB_RECORDED_TEXT && value == HB_NONE) {
		hb__put_text(out, "NULL"); /* a text of the program stands in quotes */
		return;
	}
	if (name) {
		hb__put_inert(out, name);
		return;
	}
	if (kind < sizeof before / sizeof *before)
		hb__put_text(out, before[kind]);
	if (kind == HB_RECORDED_DIGEST)
		hb__put_hex(out, (uint64_t)value);
	else
		hb__put_int(out, value);
}

const char *hb__given_name(const hb_log *log, uint8_t kind, int64_t value)
{
	return kind == HB_RECORDED_COMM       ? hb_log_name(log, HB_NAMED_COMM, value)
	       : kind == HB_RECORDED_DATATYPE ? hb_log_name(log, HB_NAMED_TYPE, value)
	       : kind == HB_RECORDED_WIN      ? hb_log_name(log, HB_NAMED_WIN, value)
					      : NULL;
}

static void put_named(hb_output *out, const hb_log *log, uint8_t kind, int64_t value)
{
	const char *name = hb__given_name(log, kind, value);
	hb__put_value(out, log, kind, value);
	if (!name)
		return;
	hb__put_text(out, " \"");
	hb__put_inert(out, name);
	hb__put_char(out, '"');
}

const struct hb_place *hb__view_place(hb_view *view, uint32_t site)
{
	if (site == 0 || site >= view->nplaces)
		return NULL;
	if (!view->places[site])
		view->places[site] = hb__place_of_site(view->log, site);
	return view->places[site];
}

int64_t hb__view_ns(const hb_view *view, uint64_t ticks)
{
	double ns = hb_ticks_ns(view->info, ticks);
	return view->shift_ns + (ns < 9e18 ? (int64_t)ns : INT64_MAX / 2);
}

static void put_pair(hb_output *out, const char *name, int64_t value, const hb_log *log, uint8_t kind)
{
	hb__put_char(out, ' ');
	hb__put_text(out, name);
	hb__put_char(out, '=');
	put_named(out, log, kind, value);
}

static void put_message(hb_output *out, const hb_view *view, int64_t source, int64_t tag, int64_t bytes)
{
	put_pair(out, "source", source, view->log, HB_RECORDED_RANK);
	put_pair(out, "tag", tag, view->log, HB_RECORDED_TAG);
	if (bytes >= 0 || bytes == HB_UNDEFINED)
		put_pair(out, "bytes", bytes, view->log, HB_RECORDED_NUMBER);
}

static void put_reference(hb_output *out, hb_reference r, uint32_t lane)
{
	hb__put_text(out, " #");
	if (r.lane != lane) {
		hb__put_int(out, r.lane);
		hb__put_char(out, '.');
	}
	hb__put_int(out, r.posting);
}

static void put_error(hb_output *out, int64_t number)
{
	const char *name = hb__error_class_name(number);
	if (name)
		hb__put_text(out, name);
	else {
		hb__put_text(out, "ERR_");
		hb__put_int(out, number);
	}
}

static void put_answer(hb_output *out, const hb_view *view, const hb_event *ev, const hb_answer *a)
{
	if (a->index != HB_ABSENT)
		put_pair(out, "index", a->index, view->log, HB_RECORDED_NUMBER);
	if (a->code == HB_ST_NULL || a->code == HB_ST_UNKNOWN) {
		hb__put_text(out, a->code == HB_ST_NULL ? " null" : " unknown");
		return;
	}
	put_reference(out, a->request, ev->row->lane);
	if (a->code == HB_ST_CANCELLED)
		hb__put_text(out, " cancelled");
	if (a->code == HB_ST_ERROR) {
		hb__put_text(out, " error=");
		put_error(out, a->error);
	}
	if (a->source != HB_ABSENT)
		put_message(out, view, a->source, a->tag, a->bytes);
}

/* What an operation of a thread came after: another thread's operation, the n-th behind its event; and what it was answered. */
static void put_order(hb_output *out, const hb_view *view, const hb_event *ev)
{
	const int64_t *is = ev->row->results;
	bool after = ev->used >= 4 && is[1] >= 0;
	if (after) {
		hb__put_text(out, " after ");
		hb__put_text(out, view->name);
		hb__put_char(out, '.');
		hb__put_int(out, is[1]);
		hb__put_char(out, ':');
		hb__put_int(out, is[2]);
		hb__put_char(out, '+');
		hb__put_int(out, is[3]);
	}
	for (uint32_t i = after ? 4 : 2; i < ev->used; i++)
		put_pair(out, i == (after ? 4u : 2u) ? "outcome" : "value", is[i], view->log, HB_RECORDED_NUMBER);
	put_pair(out, "operation", is[0], view->log, HB_RECORDED_NUMBER);
}

/* What came before it, of what its turn is counted among. */
static void put_turn(hb_output *out, const hb_view *view, const hb_event *ev)
{
	static const char *const lock[] = {"exclusive", "shared", "exclusive_anywhere", "lock_all"};
	bool locks = ev->means->turn == HB_TURN_LOCK;
	unsigned first = ev->means->does == HB_DOES_WINDOW_LOCK_ALL ? 2 : 0;
	for (uint32_t i = 0; i < ev->used && first + i < 4; i++)
		put_pair(out, locks ? lock[first + i] : "turn", ev->row->results[i], view->log, HB_RECORDED_NUMBER);
}

/* " -> " and what MPI answered, when it says anything. */
static void put_choice(hb_output *out, const hb_view *view, const hb_event *ev)
{
	if (view->never) {
		hb__put_text(out, " -> never returned");
		return;
	}
	bool posting = !view->plain && ev->posts && ev->shape != HB_SHAPE_STARTED;
	if (ev->malformed || (!ev->used && !posting && ev->row->nresults == 0) ||
		(ev->shape == HB_SHAPE_VALUES && ev->used == ev->row->nresults))
		return;
	hb__put_text(out, " ->");
	if (ev->source != HB_ABSENT)
		put_message(out, view, ev->source, ev->source_tag, ev->bytes);
	if (ev->undefined)
		hb__put_text(out, " index=UNDEFINED");
	for (uint32_t i = 0; i < ev->nanswers; i++)
		put_answer(out, view, ev, &ev->answers[i]);
	if (ev->shape == HB_SHAPE_COMM && ev->used)
		put_pair(out, "comm", ev->made, view->log, HB_RECORDED_COMM);
	for (uint32_t i = 0; ev->shape == HB_SHAPE_FETCHED && i < ev->used; i++)
		put_pair(out, "fetched", ev->row->results[i], view->log, HB_RECORDED_RANK);
	if (ev->shape == HB_SHAPE_TURN)
		put_turn(out, view, ev);
	if (ev->shape == HB_SHAPE_WINDOW && ev->used)
		put_pair(out, "win", ev->window, view->log, HB_RECORDED_WIN);
	if (ev->shape == HB_SHAPE_ORDER)
		put_order(out, view, ev);
	if (ev->shape == HB_SHAPE_CLOCK && ev->used) {
		hb__put_text(out, " time=");
		hb__put_seconds(out, ev->clock > -9e9 && ev->clock < 9e9 ? (int64_t)(ev->clock * 1e9) : 0);
	}
	if (posting)
		put_reference(out, (hb_reference){ev->row->lane, ev->posting}, ev->row->lane);
	for (uint32_t i = ev->used; i < ev->row->nresults; i++)
		put_pair(out, "result", ev->row->results[i], view->log, HB_RECORDED_NUMBER);
}

static void put_malformed(hb_output *out, const hb_event *ev)
{
	hb__put_text(out, " -> not understood:");
	for (uint32_t i = 0; i < ev->row->nresults; i++) {
		hb__put_char(out, ' ');
		hb__put_int(out, ev->row->results[i]);
	}
}

static void put_call(hb_output *out, const hb_view *view, const hb_event *ev)
{
	const hb_row *row = ev->row;
	const hb_function *f = ev->function;
	if (!f) {
		hb__put_text(out, "function#");
		hb__put_int(out, row->function);
		return;
	}
	if (ev->means->does == HB_DOES_SPAN_BEGIN || ev->means->does == HB_DOES_SPAN_END)
		hb__put_text(out, ev->means->does == HB_DOES_SPAN_BEGIN ? "begin " : "end ");
	hb__put_inert(out, f->name);
	hb__put_char(out, '(');
	for (uint32_t i = 0; i < hb_event_fields(ev); i++) {
		hb_field field = hb_event_field(ev, i);
		if (i)
			hb__put_text(out, ", ");
		hb__put_inert(out, field.name);
		hb__put_char(out, '=');
		put_named(out, view->log, field.kind, field.value);
	}
	hb__put_char(out, ')');
}

void hb__put_line(hb_output *out, hb_view *view, const hb_event *ev)
{
	const hb_row *row = ev->row;
	hb__put_text(out, view->name);
	if (row->lane) {
		hb__put_char(out, '.');
		hb__put_int(out, row->lane);
	}
	hb__put_char(out, ':');
	hb__put_int(out, (int64_t)row->number);
	if (!view->plain && (row->enter || row->exit)) {
		hb__put_text(out, "  ");
		hb__put_seconds(out, hb__view_ns(view, row->enter));
		hb__put_text(out, "  +");
		hb__put_seconds(out, view->never ? 0 : (int64_t)hb_ticks_ns(view->info, row->exit - row->enter));
	}
	hb__put_text(out, view->plain ? " " : "  ");
	put_call(out, view, ev);
	if (row->result) {
		hb__put_text(out, " = ");
		put_error(out, row->result);
	}
	bool colour = view->colour && ev->choice;
	if (colour)
		hb__put_text(out, "\033[33m");
	if (ev->malformed)
		put_malformed(out, ev);
	else
		put_choice(out, view, ev);
	if (colour)
		hb__put_text(out, "\033[0m");
	if (row->polls && (!view->plain || view->polls)) {
		hb__put_text(out, " [polls ");
		hb__put_int(out, (int64_t)row->polls);
		hb__put_char(out, ']');
	}
	if (row->skipped) {
		hb__put_text(out, " [not stored ");
		hb__put_int(out, (int64_t)row->skipped);
		hb__put_char(out, ']');
	}
	const hb_place *place = view->plain ? NULL : hb__view_place(view, row->site);
	if (place) {
		hb__put_text(out, "  ");
		hb__put_text(out, place->text);
	}
	hb__put_char(out, '\n');
}
