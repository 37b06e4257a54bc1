/* Remarks of the recorder at their place among the events. */
#include "remarks.h"

#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "../show/source.h"
#include "format/remark/remark.h"

/* ---- which there are, and where ---- */

static const char *note_of(const hb_log *log, uint64_t index)
{
	const hb_log_info *info = hb_log_get_info(log);
	const char *text = index < info->notes ? hb_log_note(log, (uint32_t)index)->text : NULL;
	return text && !strncmp(text, HB_REMARK_BEGIN, strlen(HB_REMARK_BEGIN)) ? text + strlen(HB_REMARK_BEGIN) : NULL;
}

static const hb_remark_row *row_of(const hb_log *log, uint64_t index)
{
	return hb_log_remark(log, index - hb_log_get_info(log)->notes);
}

/* A remark that can be read, with its values. */
static const hb_remark_kind *read_row(
	const hb_log *log, const hb_remark_row *row, hb_remark_value value[HB_REMARK_FIELDS_MOST])
{
	const hb_remark_kind *kind = hb_log_remark_kind(log, row->kind);
	return kind && hb_remark_read(log, row, value) ? kind : NULL;
}

uint64_t hb__count_remarks(const hb_log *log)
{
	const hb_log_info *info = hb_log_get_info(log);
	uint64_t n = info->remarks;
	for (uint64_t i = 0; i < info->notes; i++)
		n += note_of(log, i) != NULL;
	return n;
}

/* It was written when the call that it is about was over: it stands before the next one. */
static bool is_late(const hb_remark_kind *kind, const hb_remark_value *value)
{
	for (uint32_t i = 0; i < kind->fields; i++)
		if (!strcmp(kind->field[i].name, "late"))
			return value[i].number != 0;
	return false;
}

static bool note_is_late(const char *note)
{
	const char *late = strstr(note, " late=1"),
		   *text = strstr(note, " text="); /* the rest of the line may hold anything */
	return late && (!text || late < text);
}

static int by_place(const void *a, const void *b)
{
	const hb_remark_place *x = a, *y = b;
	if (x->lane != y->lane)
		return x->lane == HB_NO || (y->lane != HB_NO && x->lane < y->lane) ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

void hb__list_remarks(const hb_log *log, hb_remark_list *ret)
{
	const hb_log_info *info = hb_log_get_info(log);
	hb_remark_value value[HB_REMARK_FIELDS_MOST];
	*ret = (hb_remark_list){.at = hb__alloc((hb__count_remarks(log) + 1) * sizeof *ret->at)};
	for (uint64_t i = 0; i < info->notes; i++) {
		const hb_note *note = hb_log_note(log, (uint32_t)i);
		if (note_of(log, i))
			ret->at[ret->n++] = (hb_remark_place){
				note->lane, note->event - (note->event > 1 && note_is_late(note->text)), i};
	}
	for (uint64_t i = 0; i < info->remarks; i++) {
		const hb_remark_row *row = hb_log_remark(log, i);
		const hb_remark_kind *kind = read_row(log, row, value);
		if (kind)
			ret->at[ret->n++] = (hb_remark_place){
				row->lane, row->event - (row->event > 1 && is_late(kind, value)), info->notes + i};
	}
	qsort(ret->at, ret->n, sizeof *ret->at, by_place);
}

size_t hb__first_remark(const hb_remark_list *list, uint32_t lane, uint64_t event)
{
	const hb_remark_place wanted = {lane, event, 0};
	size_t low = 0, high = list->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (by_place(&list->at[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- values ---- */

static void put_list(hb_output *out, const hb_remark_value *v)
{
	int64_t *number = hb__alloc((v->n + 1) * sizeof *number);
	uint64_t n = hb_remark_numbers(v, number, v->n);
	hb__put_char(out, '[');
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			hb__put_char(out, ',');
		hb__put_int(out, number[i]);
	}
	hb__put_char(out, ']');
	free(number);
}

/* Names: between quotes in JSON, as they are in a line. */
static void put_name(hb_output *out, const char *name, bool json)
{
	if (json)
		hb__put_json(out, name);
	else
		hb__put_inert(out, name);
}

static void put_string(hb_output *out, const hb_remark_value *v)
{
	char *text = hb__format("%.*s", (int)v->bytes, v->text);
	hb__put_json(out, text);
	free(text);
}

static void put_request(hb_output *out, const hb_remark_value *v, uint32_t lane, bool json)
{
	char *text = json || v->lane != lane ? hb__format("#%u.%lld", v->lane, (long long)v->number)
					     : hb__format("#%lld", (long long)v->number);
	put_name(out, text, json);
	free(text);
}

/* Of the kinds that arguments have, too: a word, or a number, which may have a mark before it. */
static void put_argument(hb_output *out, const hb_log *log, uint8_t kind, int64_t value, bool json)
{
	bool quote = json && (hb__word(log, kind, value) || !hb__is_number(kind));
	if (quote)
		hb__put_char(out, '"');
	hb__put_value(out, log, kind, value);
	if (quote)
		hb__put_char(out, '"');
}

static void put_value(
	hb_output *out, hb_view *view, const hb_remark_field *field, const hb_remark_value *v, uint32_t lane, bool json)
{
	const hb_function *f;
	const hb_place *place;
	switch (field->type) {
	case HB_FIELD_SITE:
		place = hb__view_place(view, (uint32_t)v->number);
		put_name(out, place ? place->text : "?", json);
		return;
	case HB_FIELD_FUNCTION:
		f = hb_log_function(view->log, (uint32_t)v->number);
		put_name(out, f && f->name ? f->name : "?", json);
		return;
	case HB_FIELD_FLAG:
		hb__put_text(out, v->number ? "true" : "false");
		return;
	case HB_FIELD_WORD:
		put_name(out, field->word[v->number], json);
		return;
	case HB_FIELD_ADDRESS:
		hb__put_uint(out, (uint64_t)v->number);
		return;
	case HB_FIELD_TEXT:
		put_string(out, v);
		return;
	case HB_FIELD_REQUEST:
		put_request(out, v, lane, json);
		return;
	case HB_FIELD_LIST:
	case HB_FIELD_RUNS:
		put_list(out, v);
		return;
	default:
		put_argument(out, view->log, (uint8_t)field->type, v->number, json);
	}
}

/* ---- remarks ---- */

/* Where it stands is told already; what differs from run to run is not told where views are plain. */
static bool is_shown(const hb_view *view, const hb_remark_field *field, const hb_remark_value *v)
{
	bool chance = field->type == HB_FIELD_SITE || field->type == HB_FIELD_ADDRESS;
	return v->told && strcmp(field->name, "late") != 0 && !(view->plain && chance);
}

static void put_fields(hb_output *out, hb_view *view, const hb_remark_row *row, const hb_remark_kind *kind,
	const hb_remark_value *value, bool json)
{
	bool first = true;
	for (uint32_t i = 0; i < kind->fields; i++) {
		const hb_remark_field *field = &kind->field[i];
		if (!is_shown(view, field, &value[i]))
			continue;
		hb__put_text(out, first ? "" : json ? "," : ", ");
		put_name(out, field->name, json);
		hb__put_char(out, json ? ':' : '=');
		put_value(out, view, field, &value[i], row->lane, json);
		first = false;
	}
}

void hb__put_remark_line(hb_output *out, hb_view *view, const hb_remark_place *r)
{
	hb_remark_value value[HB_REMARK_FIELDS_MOST];
	const char *note = note_of(view->log, r->index);
	hb__put_text(out, view->name);
	if (r->lane != HB_NO && r->lane) {
		hb__put_char(out, '.');
		hb__put_int(out, r->lane);
	}
	if (r->lane != HB_NO) {
		hb__put_char(out, ':');
		hb__put_int(out, (int64_t)r->event);
	}
	hb__put_text(out, view->plain ? " remark " : "  remark ");
	if (note)
		hb__put_inert(out, note);
	else {
		const hb_remark_row *row = row_of(view->log, r->index);
		const hb_remark_kind *kind = read_row(view->log, row, value);
		hb__put_inert(out, kind->word);
		hb__put_char(out, '(');
		put_fields(out, view, row, kind, value, false);
		hb__put_char(out, ')');
	}
	hb__put_char(out, '\n');
}

static void put_number(hb_output *out, const char *name, bool known, int64_t value)
{
	hb__put_text(out, name);
	if (known)
		hb__put_int(out, value);
	else
		hb__put_text(out, "null");
}

void hb__put_remark_object(hb_output *out, hb_view *view, const hb_remark_place *r)
{
	hb_remark_value value[HB_REMARK_FIELDS_MOST];
	const char *note = note_of(view->log, r->index);
	put_number(out, "{\"rank\":", true, view->info->rank);
	if (view->world)
		put_number(out, ",\"world\":", true, view->world);
	if (view->outside) {
		hb__put_text(out, ",\"process\":");
		hb__put_json(out, view->name);
	}
	put_number(out, ",\"lane\":", r->lane != HB_NO, r->lane);
	put_number(out, ",\"event\":", r->lane != HB_NO, (int64_t)r->event);
	hb__put_text(out, ",\"remark\":");
	if (note) {
		char *word = hb__format("%.*s", (int)strcspn(note, " "), note);
		hb__put_json(out, word);
		hb__put_text(out, ",\"text\":");
		hb__put_json(out, note + strlen(word) + (note[strlen(word)] == ' '));
		free(word);
	} else {
		const hb_remark_row *row = row_of(view->log, r->index);
		const hb_remark_kind *kind = read_row(view->log, row, value);
		hb__put_json(out, kind->word);
		hb__put_text(out, ",\"fields\":{");
		put_fields(out, view, row, kind, value, true);
		hb__put_char(out, '}');
	}
	hb__put_text(out, "}\n");
}
