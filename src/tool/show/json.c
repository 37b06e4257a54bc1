/* One event as a JSON object on a line. */
#include <stdlib.h>

#include "format/row.h"
#include "line.h"
#include "source.h"

static void key(hb_output *out, const char *name)
{
	hb__put_text(out, ",\"");
	hb__put_text(out, name);
	hb__put_text(out, "\":");
}

static void number_member(hb_output *out, const char *name, int64_t value)
{
	if (value == HB_ABSENT)
		return;
	key(out, name);
	hb__put_int(out, value);
}

static void text(hb_output *out, const char *name, const char *value)
{
	key(out, name);
	hb__put_json(out, value);
}

/* What the program called its communicators, datatypes and windows. */
static void put_names(hb_output *out, const hb_view *view, const hb_event *ev)
{
	bool any = false;
	for (uint32_t i = 0; i < ev->row->nargs && i < ev->function->nargs; i++) {
		const char *name = hb__given_name(view->log, ev->function->arg_kind[i], ev->row->arg[i]);
		if (!name)
			continue;
		if (!any)
			key(out, "names");
		hb__put_char(out, any ? ',' : '{');
		hb__put_json(out, ev->function->arg_name[i]);
		hb__put_char(out, ':');
		hb__put_json(out, name);
		any = true;
	}
	if (any)
		hb__put_char(out, '}');
}

static bool is_finite(int64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value - value == 0;
}

/* Words stand as strings, numbers as numbers; a word has nothing to escape but a datatype's name. */
static void put_field(hb_output *out, const hb_view *view, const hb_field *f)
{
	const char *word = hb__word(view->log, f->kind, f->value);
	const char *quote = hb__is_number(f->kind) ? "" : "\"";
	if (word) {
		hb__put_json(out, word);
		return;
	}
	if ((f->kind == HB_RECORDED_REAL && !is_finite(f->value)) ||
		(f->kind == HB_RECORDED_TEXT && f->value == HB_NONE)) {
		hb__put_text(out, "null");
		return;
	}
	hb__put_text(out, quote);
	hb__put_value(out, view->log, f->kind, f->value);
	hb__put_text(out, quote);
}

/* Of values that repeat a name stands once, with an array of them. */
static void put_arguments(hb_output *out, const hb_view *view, const hb_event *ev)
{
	uint32_t n = hb_event_fields(ev);
	key(out, "arguments");
	hb__put_char(out, '{');
	for (uint32_t i = 0; i < n; i++) {
		hb_field f = hb_event_field(ev, i);
		if (!f.first)
			continue;
		if (i)
			hb__put_char(out, ',');
		hb__put_json(out, f.name);
		hb__put_text(out, f.again ? ":[" : ":");
		put_field(out, view, &f);
		for (uint32_t k = i + f.again; f.again && k < n; k += f.again) {
			hb_field more = hb_event_field(ev, k);
			hb__put_char(out, ',');
			put_field(out, view, &more);
		}
		if (f.again)
			hb__put_char(out, ']');
	}
	hb__put_char(out, '}');
	put_names(out, view, ev);
}

static void put_error(hb_output *out, const char *name, int64_t class)
{
	const char *known = hb__error_class_name(class);
	if (!class)
		return;
	if (known)
		text(out, name, known);
	else
		number_member(out, name, class);
}

static void put_answers(hb_output *out, const hb_event *ev)
{
	static const char *const codes[] = {"as posted", "message", "cancelled", "error", "null", "unknown"};
	bool statuses = ev->shape >= HB_SHAPE_STATUS && ev->shape <= HB_SHAPE_SOME;
	key(out, "answers");
	hb__put_char(out, '[');
	for (uint32_t i = 0; i < ev->nanswers; i++) {
		const hb_answer *a = &ev->answers[i];
		hb__put_text(out, i ? ",{\"posting\":" : "{\"posting\":");
		if (a->request.posting >= 0)
			hb__put_int(out, a->request.posting);
		else
			hb__put_text(out, "null");
		if (a->request.lane != ev->row->lane)
			number_member(out, "lane", a->request.lane);
		number_member(out, "index", a->index);
		if (statuses && a->code < sizeof codes / sizeof *codes)
			text(out, "status", codes[a->code]);
		put_error(out, "error", a->error);
		number_member(out, "source", a->source);
		number_member(out, "tag", a->tag);
		number_member(out, "bytes", a->bytes == -1 ? HB_ABSENT : a->bytes);
		if (a->digest)
			number_member(out, "check", a->digest);
		else
			hb__put_text(out, ",\"check\":null");
		hb__put_char(out, '}');
	}
	hb__put_char(out, ']');
}

static void put_results(hb_output *out, const hb_event *ev)
{
	number_member(out, "source", ev->source);
	number_member(out, "source_tag", ev->source_tag);
	if (ev->undefined)
		text(out, "index", "UNDEFINED");
	if (ev->nanswers)
		put_answers(out, ev);
	if (ev->made != HB_ABSENT)
		number_member(out, "new_comm", ev->made);
	for (uint32_t i = 0; ev->shape == HB_SHAPE_TURN && i < ev->used; i++) {
		hb__put_text(out, i ? "," : ",\"turn\":[");
		hb__put_int(out, ev->row->results[i]);
		hb__put_text(out, i + 1 == ev->used ? "]" : "");
	}
	if (ev->shape == HB_SHAPE_CLOCK && ev->used) {
		char *time = hb__format("%.9f", ev->clock);
		key(out, "time");
		hb__put_text(out, ev->clock - ev->clock == 0 ? time : "null");
		free(time);
	}
	if (ev->shape == HB_SHAPE_ORDER && ev->used >= 2) {
		number_member(out, "operation", ev->row->results[0]);
		if (ev->used >= 4) {
			number_member(out, "after_lane", ev->row->results[1]);
			number_member(out, "after_event", ev->row->results[2]);
			number_member(out, "after_operation", ev->row->results[3]);
		}
		uint32_t outcome = ev->row->results[1] >= 0 ? 4 : 2;
		if (ev->used > outcome)
			number_member(out, "outcome", ev->row->results[outcome]);
	}
	if (ev->posts) {
		number_member(out, "posting", ev->posting);
		number_member(out, "posts", ev->posts);
	}
	if (ev->malformed)
		hb__put_text(out, ",\"malformed\":true");
}

static void put_place(hb_output *out, hb_view *view, uint32_t number_of_site)
{
	const hb_place *place = hb__view_place(view, number_of_site);
	if (!place)
		return;
	if (place->file) {
		text(out, "file", place->file);
		number_member(out, "line", place->line);
	} else
		text(out, "address", place->text);
}

void hb__put_object(hb_output *out, hb_view *view, const hb_event *ev)
{
	const hb_row *row = ev->row;
	hb__put_text(out, "{\"rank\":");
	hb__put_int(out, view->info->rank);
	if (view->world)
		number_member(out, "world", view->world);
	if (view->outside)
		text(out, "process", view->name);
	number_member(out, "lane", row->lane);
	number_member(out, "event", (int64_t)row->number);
	if (ev->function) {
		text(out, "function", ev->function->name);
		text(out, "class", hb__class_name(ev->function->cls));
		text(out, "layer", ev->function->layer);
		put_arguments(out, view, ev);
	} else
		number_member(out, "function", row->function);
	if (row->enter || row->exit) {
		number_member(out, "enter_ns", hb__view_ns(view, row->enter));
		if (!view->never)
			number_member(out, "exit_ns", hb__view_ns(view, row->exit));
	}
	put_error(out, "result", row->result);
	number_member(out, "peer", ev->peer);
	number_member(out, "tag", ev->tag);
	number_member(out, "comm", ev->comm);
	number_member(out, "bytes", ev->bytes == -1 ? HB_ABSENT : ev->bytes);
	put_results(out, ev);
	hb__put_text(out, ev->choice ? ",\"choice\":true" : ",\"choice\":false");
	if (row->polls)
		number_member(out, "polls", (int64_t)row->polls);
	if (row->skipped)
		number_member(out, "not_stored", (int64_t)row->skipped);
	if (row->has_digest && row->digest)
		number_member(out, "check", row->digest);
	else if (row->has_digest)
		hb__put_text(out, ",\"check\":null");
	if (view->never)
		hb__put_text(out, ",\"never_returned\":true");
	put_place(out, view, row->site);
	hb__put_text(out, "}\n");
}
