/* A record of a trace as a line of JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "dump.h"

static void text(hb_output *out, const char *member, const char *value)
{
	hb__put_text_member(out, member, value ? value : "");
}

static void point(hb_output *out, const hb_point *p)
{
	char words[HB_POINT_TEXT];
	if (p->number)
		text(out, "point", hb_point_text(p, words));
}

static void construct(hb_output *out, const hb_trace_construct *c)
{
	hb__put_uint_member(out, "number", c->number);
	hb__put_uint_member(out, "parent", c->parent);
	text(out, "type", hb_construct_type_name(c->type));
	text(out, "name", c->name);
	text(out, "file", c->file);
	hb__put_uint_member(out, "line", c->line);
}

static void array(hb_output *out, const hb_trace_array *a)
{
	text(out, "name", a->id.name);
	text(out, "file", a->id.file);
	hb__put_uint_member(out, "line", a->id.line);
	hb__put_uint_member(out, "ordinal", a->id.ordinal);
	text(out, "type", hb_element_name(a->as.type));
}

static void checked(hb_output *out, const hb_trace_record *r)
{
	static const char *const letters[] = {"", "r", "w", "rw"}, *const states[] = {
									   "fine", "gone", "unreadable", "strange"};
	char hash[24];
	text(out, "access", letters[r->access & 3]);
	text(out, "state", states[r->state & 3]);
	hb__put_member(out, "tiles");
	hb__put_char(out, '[');
	for (uint32_t i = 0; i < r->tiles; i++) {
		const hb_tile *t = &r->tile[i];
		if (i)
			hb__put_char(out, ',');
		hb__put_char(out, '{');
		hb__put_uint_member(out, "tile", r->tile_number[i]);
		snprintf(hash, sizeof hash, "%016" PRIx64, t->hash);
		text(out, "hash", hash);
		hb__put_uint_member(out, "count", t->count);
		hb__put_uint_member(out, "odd", t->odd);
		hb__put_real_member(out, "least", t->least);
		hb__put_real_member(out, "greatest", t->greatest);
		hb__put_real_member(out, "sum", t->sum);
		hb__put_real_member(out, "squares", t->squares);
		hb__put_char(out, '}');
	}
	hb__put_char(out, ']');
}

static void value(hb_output *out, hb_element type, const void *at)
{
	hb__put_member(out, "value");
	hb__put_char(out, '"'); /* as text: JSON has neither infinity nor 64 bits */
	hb__put_element_value(out, type, at);
	hb__put_char(out, '"');
}

static void source(hb_dumped *d, uint64_t place)
{
	const char *file;
	int line;
	if (!place)
		return;
	hb__trace_source(d->trace, place, &file, &line);
	text(d->out, "source", file);
	hb__put_uint_member(d->out, "source_line", (uint64_t)line);
}

static void access(hb_dumped *d, const hb_trace_record *r)
{
	const hb_trace_array *a = hb_trace_array_of(d->trace, r->number);
	int64_t index[HB_DIMENSIONS];
	unsigned n = hb__trace_indices(a, r->element, index);
	array(d->out, a);
	hb__put_ints_member(d->out, "element", index, n);
	value(d->out, a->as.type, r->value);
	source(d, r->place);
}

static void variable(hb_dumped *d, const hb_trace_record *r)
{
	const hb_trace_variable *v = hb_trace_variable_of(d->trace, r->number);
	text(d->out, "name", v->name);
	text(d->out, "file", v->file);
	hb__put_uint_member(d->out, "line", v->line);
	value(d->out, v->type, r->value);
	source(d, r->place);
}

static const char *const words[HB_TRACE_KINDS] = {[HB_TRACE_ARRAY] = "ARRAY",
	[HB_TRACE_GONE] = "GONE",
	[HB_TRACE_BEGIN] = "BEGIN",
	[HB_TRACE_END] = "EL",
	[HB_TRACE_ITERATION] = "IT",
	[HB_TRACE_TASK] = "TASK",
	[HB_TRACE_READ] = "RD",
	[HB_TRACE_BEFORE] = "BW",
	[HB_TRACE_AFTER] = "AW",
	[HB_TRACE_RV_READ] = "RV_RD",
	[HB_TRACE_RV_BEFORE] = "RV_BW",
	[HB_TRACE_RV_AFTER] = "RV_AW",
	[HB_TRACE_RESULT] = "RV",
	[HB_TRACE_SKIP] = "SKP",
	[HB_TRACE_CHECKED] = "CS",
	[HB_TRACE_SAVED] = "SAVED",
	[HB_TRACE_TROUBLE] = "TROUBLE",
	[HB_TRACE_COST] = "COST",
	[HB_TRACE_OVER] = "OVER"};

static void members(hb_dumped *d, const hb_trace_record *r)
{
	hb_output *out = d->out;
	switch (r->kind) {
	case HB_TRACE_ARRAY:
	case HB_TRACE_GONE:
		array(out, hb_trace_array_of(d->trace, r->number));
		break;
	case HB_TRACE_BEGIN:
	case HB_TRACE_END:
		construct(out, hb_trace_construct_of(d->trace, r->number));
		point(out, &r->point);
		hb__put_uint_member(out, "event", r->event);
		break;
	case HB_TRACE_ITERATION:
		hb__put_ints_member(out, "index", r->index, r->n);
		break;
	case HB_TRACE_TASK:
		hb__put_uint_member(out, "task", r->number);
		break;
	case HB_TRACE_READ:
	case HB_TRACE_BEFORE:
	case HB_TRACE_AFTER:
		access(d, r);
		break;
	case HB_TRACE_RV_READ:
	case HB_TRACE_RV_BEFORE:
	case HB_TRACE_RV_AFTER:
	case HB_TRACE_RESULT:
		variable(d, r);
		break;
	case HB_TRACE_CHECKED:
		array(out, hb_trace_array_of(d->trace, r->number));
		point(out, &r->point);
		checked(out, r);
		break;
	case HB_TRACE_SAVED:
		text(out, "saved", r->file);
		break;
	case HB_TRACE_TROUBLE:
		text(out, "trouble", r->text);
		break;
	case HB_TRACE_COST:
		construct(out, hb_trace_construct_of(d->trace, r->number));
		hb__put_uint_member(out, "times", r->cost[0]);
		hb__put_uint_member(out, "iterations", r->cost[1]);
		hb__put_uint_member(out, "reads", r->cost[2]);
		hb__put_uint_member(out, "writes", r->cost[3]);
		hb__put_uint_member(out, "bytes", r->cost[4]);
		break;
	default:
		source(d, r->place);
	}
}

void hb__put_record_json(hb_dumped *d, const hb_trace_record *r)
{
	if (!words[r->kind])
		return;
	hb__put_char(d->out, '{');
	text(d->out, "record", words[r->kind]);
	hb__put_member(d->out, "rank");
	hb__put_int(d->out, d->rank);
	if (r->thread)
		hb__put_uint_member(d->out, "thread", r->thread);
	members(d, r);
	hb__put_text(d->out, "}\n");
}
