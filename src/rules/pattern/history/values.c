/* What an event has, by the names that the clauses of a model use. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/pattern/history/internal.h"

bool hb__value_of_number(int64_t number, hb_pattern_value *ret)
{
	*ret = (hb_pattern_value){false, number};
	return true;
}

bool hb__value_of_text(hb_history *h, const char *text, hb_pattern_value *ret)
{
	if (!text)
		return false;
	*ret = (hb_pattern_value){true, hb_pattern_text(h->pattern, text)};
	if (ret->number == HB_NO)
		h->status = hb__history_no_memory(h->err);
	return ret->number != HB_NO;
}

bool hb__value_of_real(hb_history *h, double real, hb_pattern_value *ret)
{
	char text[32];
	if (real == floor(real) && fabs(real) < 9007199254740992.0) /* 2^53: exact */
		return hb__value_of_number((int64_t)real, ret);
	snprintf(text, sizeof text, "%.17g", real);
	return hb__value_of_text(h, text, ret);
}

static bool of_field(hb_history *h, uint32_t process, const hb_field *f, hb_pattern_value *ret)
{
	const hb_log *log = h->process[process].log;
	const char *text = NULL;
	bool members;
	double real;
	switch (f->kind) {
	case HB_RECORDED_COMM: {
		uint32_t group = hb_model_group(h->model, process, f->value, &members);
		return group != HB_NO && hb__value_of_text(h, h->group[group].name, ret);
	}
	case HB_RECORDED_DATATYPE: {
		const hb_datatype *type = f->value < 0 ? NULL : hb_log_datatype(log, (uint32_t)f->value);
		text = type ? type->name : NULL;
		break;
	}
	case HB_RECORDED_OP:
		text = f->value < 0 ? NULL : hb_log_op(log, (uint32_t)f->value);
		break;
	case HB_RECORDED_TEXT:
		return hb__value_of_text(h, hb_log_text(log, (uint32_t)f->value), ret);
	case HB_RECORDED_REAL:
		memcpy(&real, &f->value, sizeof real);
		return hb__value_of_real(h, real, ret);
	default:
		return hb__value_of_number(f->value, ret);
	}
	return text ? hb__value_of_text(h, text, ret) : hb__value_of_number(f->value, ret);
}

bool hb__value_of_event(hb_history *h, uint32_t process, const hb_event *event, const char *name, hb_pattern_value *ret)
{
	uint32_t n = hb_event_fields(event);
	for (uint32_t i = 0; i < n; i++) {
		hb_field f = hb_event_field(event, i);
		if (f.name && f.value != HB_ABSENT && !strcmp(f.name, name))
			return of_field(h, process, &f, ret);
	}
	return false;
}

static const struct {
	const char *name;
	size_t bytes;
} parts[] = {{"int32", 4}, {"int64", 8}, {"byte", 1}, {"real64", 8}};

static int part_of(const char *name)
{
	for (int i = 0; i < (int)(sizeof parts / sizeof *parts); i++)
		if (!strcmp(parts[i].name, name))
			return i;
	return -1;
}

bool hb__is_of_contents(const char *name) { return part_of(name) >= 0; }

bool hb__value_of_contents(hb_history *h, hb_contents *contents, const hb_content *content, const char *name,
	int64_t offset, hb_pattern_value *ret)
{
	union {
		int32_t int32;
		int64_t int64;
		uint8_t byte;
		double real;
	} v;
	int part = part_of(name);
	if (part < 0 || offset < 0 || (uint64_t)offset > content->piece.bytes ||
		parts[part].bytes > content->piece.bytes - (uint64_t)offset ||
		hb_contents_bytes(contents, content, (uint64_t)offset, parts[part].bytes, &v, NULL))
		return false;
	switch (part) {
	case 0:
		return hb__value_of_number(v.int32, ret);
	case 1:
		return hb__value_of_number(v.int64, ret);
	case 2:
		return hb__value_of_number(v.byte, ret);
	default:
		return hb__value_of_real(h, v.real, ret);
	}
}
