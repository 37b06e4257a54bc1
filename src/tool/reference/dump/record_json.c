/* A record of a trace as a line of JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "dump.h"

static void name(hb_output *out, const char *member)
{
	if (out->n && out->at[out->n - 1] != '{')
		hb__put_char(out, ',');
	hb__put_json(out, member);
	hb__put_char(out, ':');
}

static void text(hb_output *out, const char *member, const char *value)
{
	name(out, member);
	hb__put_json(out, value ? value : "");
}

static void number(hb_output *out, const char *member, uint64_t value)
{
	name(out, member);
	hb__put_uint(out, value);
}

/* JSON has no infinity. */
static void real(hb_output *out, const char *member, double value)
{
	name(out, member);
	if (isfinite(value))
		hb__put_real(out, value);
	else
		hb__put_text(out, "null");
}

static void list(hb_output *out, const char *member, const int64_t *at, unsigned n)
{
	name(out, member);
	hb__put_char(out, '[');
	for (unsigned i = 0; i < n; i++) {
		if (i)
			hb__put_char(out, ',');
		hb__put_int(out, at[i]);
	}
	hb__put_char(out, ']');
}

static void point(hb_output *out, const hb_point *p)
{
	char words[HB_POINT_TEXT];
	if (p->number)
		text(out, "point", hb_point_text(p, words));
}

static void construct(hb_output *out, const hb_trace_construct *c)
{
	number(out, "number", c->number);
	number(out, "parent", c->parent);
	text(out, "type", hb_construct_type_name(c->type));
	text(out, "name", c->name);
	text(out, "file", c->file);
	number(out, "line", c->line);
}

static void array(hb_output *out, const hb_trace_array *a)
{
	text(out, "name", a->id.name);
	text(out, "file", a->id.file);
	number(out, "line", a->id.line);
	number(out, "ordinal", a->id.ordinal);
	text(out, "type", hb_element_name(a->as.type));
}

static void checked(hb_output *out, const hb_trace_record *r)
{
	static const char *const letters[] = {"", "r", "w", "rw"}, *const states[] = {
									   "fine", "gone", "unreadable", "strange"};
	char hash[24];
	text(out, "access", letters[r->access & 3]);
	text(out, "state", states[r->state & 3]);
	name(out, "tiles");
	hb__put_char(out, '[');
	for (uint32_t i = 0; i < r->tiles; i++) {
		const hb_tile *t = &r->tile[i];
		if (i)
			hb__put_char(out, ',');
		hb__put_char(out, '{');
		number(out, "tile", r->tile_number[i]);
		snprintf(hash, sizeof hash, "%016" PRIx64, t->hash);
		text(out, "hash", hash);
		number(out, "count", t->count);
		number(out, "odd", t->odd);
		real(out, "least", t->least);
		real(out, "greatest", t->greatest);
		real(out, "sum", t->sum);
		real(out, "squares", t->squares);
		hb__put_char(out, '}');
	}
	hb__put_char(out, ']');
}

static void value(hb_output *out, hb_element type, const void *at)
{
	name(out, "value");
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
	number(d->out, "source_line", (uint64_t)line);
}

static void access(hb_dumped *d, const hb_trace_record *r)
{
	const hb_trace_array *a = hb_trace_array_of(d->trace, r->number);
	int64_t index[HB_DIMENSIONS];
	unsigned n = hb__trace_indices(a, r->element, index);
	array(d->out, a);
	list(d->out, "element", index, n);
	value(d->out, a->as.type, r->value);
	source(d, r->place);
}

static void variable(hb_dumped *d, const hb_trace_record *r)
{
	const hb_trace_variable *v = hb_trace_variable_of(d->trace, r->number);
	text(d->out, "name", v->name);
	text(d->out, "file", v->file);
	number(d->out, "line", v->line);
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
		number(out, "event", r->event);
		break;
	case HB_TRACE_ITERATION:
		list(out, "index", r->index, r->n);
		break;
	case HB_TRACE_TASK:
		number(out, "task", r->number);
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
		number(out, "times", r->cost[0]);
		number(out, "iterations", r->cost[1]);
		number(out, "reads", r->cost[2]);
		number(out, "writes", r->cost[3]);
		number(out, "bytes", r->cost[4]);
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
	name(d->out, "rank");
	hb__put_int(d->out, d->rank);
	if (r->thread)
		number(d->out, "thread", r->thread);
	members(d, r);
	hb__put_text(d->out, "}\n");
}
