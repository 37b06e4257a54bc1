/* A record of a trace as a line of text: hbdb-trace(5), TEXT. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dump.h"

static void put_quoted(hb_output *out, const char *text)
{
	hb__put_char(out, '"');
	for (const char *c = text ? text : ""; *c; c++) {
		if (*c == '"' || *c == '\\')
			hb__put_char(out, '\\');
		if (*c == '\n')
			hb__put_text(out, "\\n");
		else
			hb__put_char(out, *c);
	}
	hb__put_char(out, '"');
}

static void put_line(hb_output *out, const char *file, uint32_t line)
{
	hb__put_text(out, "; {");
	put_quoted(out, file);
	hb__put_text(out, ", ");
	hb__put_uint(out, line);
	hb__put_char(out, '}');
}

static void put_point(hb_output *out, const hb_point *p)
{
	char text[HB_POINT_TEXT];
	if (p->number) {
		hb__put_text(out, ", ");
		hb__put_text(out, hb_point_text(p, text));
	}
}

static void put_construct(hb_dumped *d, const hb_trace_record *r)
{
	const hb_trace_construct *c = hb_trace_construct_of(d->trace, r->number);
	if (r->kind == HB_TRACE_END)
		hb__put_text(d->out, "EL: ");
	else {
		hb__put_text(d->out, hb_construct_type_name(c->type));
		hb__put_text(d->out, ": ");
	}
	hb__put_uint(d->out, c->number);
	if (r->kind == HB_TRACE_BEGIN) {
		hb__put_char(d->out, '(');
		hb__put_uint(d->out, c->parent);
		hb__put_text(d->out, ") [");
		hb__put_uint(d->out, c->rank);
		hb__put_text(d->out, "] ");
		put_quoted(d->out, c->name);
	}
	put_line(d->out, c->file, c->line);
	put_point(d->out, &r->point);
	hb__put_char(d->out, '\n');
}

static void put_list(hb_output *out, const int64_t *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (i)
			hb__put_text(out, ", ");
		hb__put_int(out, at[i]);
	}
}

static void put_identity(hb_output *out, const char *name, const char *file, uint32_t line, uint32_t ordinal)
{
	put_quoted(out, name);
	hb__put_text(out, ", ");
	put_quoted(out, file);
	hb__put_text(out, ", ");
	hb__put_uint(out, line);
	hb__put_text(out, ", ");
	hb__put_uint(out, ordinal);
}

/* Of each dimension: base, global, first, count, below, above, block, over, place. */
static void put_array(hb_dumped *d, const hb_trace_array *a)
{
	static const char *const flags[] = {" columns", " replicated", " read-only", " own"};
	hb__put_text(d->out, "ARRAY(");
	put_identity(d->out, a->id.name, a->id.file, a->id.line, a->id.ordinal);
	hb__put_text(d->out, ") = [");
	hb__put_text(d->out, hb_element_name(a->as.type));
	hb__put_char(d->out, ']');
	for (unsigned i = 0; i < 4; i++)
		if (a->flags >> i & 1)
			hb__put_text(d->out, flags[i]);
	for (unsigned i = 0; i < a->as.rank; i++) {
		const int64_t all[] = {a->as.base[i], a->as.global[i], a->as.first[i], a->as.count[i], a->as.below[i],
			a->as.above[i], a->as.block[i], a->as.over[i], a->as.place[i]};
		hb__put_text(d->out, " (");
		put_list(d->out, all, 9);
		hb__put_char(d->out, ')');
	}
	hb__put_char(d->out, '\n');
}

/* Numbers of all tiles together: a reader of the text compares whole arrays. */
static void put_checksum(hb_dumped *d, const hb_trace_record *r)
{
	static const char *const letters[] = {"", "r", "w", "rw"}, *const why[] = {"", "gone", "unreadable", "strange"};
	const hb_trace_array *a = hb_trace_array_of(d->trace, r->number);
	hb_tile all;
	char text[64];
	hb__put_text(d->out, "CS(");
	put_identity(d->out, a->id.name, a->id.file, a->id.line, a->id.ordinal);
	hb__put_text(d->out, ", \"");
	hb__put_text(d->out, letters[r->access & 3]);
	if (r->state != HB_CHECKSUM_FINE) {
		hb__put_text(d->out, "\") FAILED ");
		hb__put_text(d->out, why[r->state & 3]);
		hb__put_char(d->out, '\n');
		return;
	}
	hb_tile_clear(&all);
	for (uint32_t i = 0; i < r->tiles; i++)
		hb_tile_add(&all, &r->tile[i]);
	snprintf(text, sizeof text, "\") = \"%016" PRIx64 " %" PRIu64 " %" PRIu64, all.hash, all.count, all.odd);
	hb__put_text(d->out, text);
	const double moments[] = {all.least, all.greatest, all.sum, all.squares};
	for (unsigned i = 0; i < 4 + 2 * HB_SKETCH; i++) {
		snprintf(text, sizeof text, " %.17g",
			i < 4 ? moments[i] : all.sketch[(i - 4) / HB_SKETCH][(i - 4) % HB_SKETCH]);
		hb__put_text(d->out, text);
	}
	hb__put_text(d->out, "\"\n");
}

static void put_place(hb_dumped *d, uint64_t place)
{
	const char *file;
	int line;
	hb__trace_source(d->trace, place, &file, &line);
	put_line(d->out, file, (uint32_t)line);
	hb__put_char(d->out, '\n');
}

static void put_access(hb_dumped *d, const hb_trace_record *r, const char *word)
{
	const hb_trace_array *a = hb_trace_array_of(d->trace, r->number);
	int64_t index[HB_DIMENSIONS];
	unsigned n = hb__trace_indices(a, r->element, index);
	hb__put_text(d->out, word);
	hb__put_text(d->out, ": [");
	hb__put_text(d->out, hb_element_name(a->as.type));
	hb__put_text(d->out, "] (");
	put_identity(d->out, a->id.name, a->id.file, a->id.line, a->id.ordinal);
	hb__put_text(d->out, ")[");
	put_list(d->out, index, n);
	hb__put_text(d->out, "] = ");
	hb__put_element_value(d->out, a->as.type, r->value);
	put_place(d, r->place);
}

static void put_variable(hb_dumped *d, const hb_trace_record *r, const char *word)
{
	const hb_trace_variable *v = hb_trace_variable_of(d->trace, r->number);
	hb__put_text(d->out, word);
	hb__put_text(d->out, ": [");
	hb__put_text(d->out, hb_element_name(v->type));
	hb__put_text(d->out, "] (");
	put_identity(d->out, v->name, v->file, v->line, 0);
	hb__put_text(d->out, ") = ");
	hb__put_element_value(d->out, v->type, r->value);
	if (r->kind == HB_TRACE_RESULT)
		hb__put_char(d->out, '\n');
	else
		put_place(d, r->place);
}

/* Everything that is no construct and no value, as a comment: readers of the text pass it over. */
static void put_comment(hb_dumped *d, const char *word, const char *text)
{
	hb__put_text(d->out, "# ");
	hb__put_text(d->out, word);
	for (; *text; text++)
		hb__put_char(d->out, *text == '\n' ? ' ' : *text);
	hb__put_char(d->out, '\n');
}

static void put_thread(hb_dumped *d, const hb_trace_record *r)
{
	if (r->thread) {
		hb__put_text(d->out, "@");
		hb__put_uint(d->out, r->thread);
		hb__put_char(d->out, ' ');
	}
}

/* Of an array or a variable, at a place. False: it is none of these. */
static bool put_value(hb_dumped *d, const hb_trace_record *r)
{
	static const char *const words[HB_TRACE_KINDS] = {[HB_TRACE_READ] = "RD",
		[HB_TRACE_BEFORE] = "BW",
		[HB_TRACE_AFTER] = "AW",
		[HB_TRACE_RV_READ] = "RV_RD",
		[HB_TRACE_RV_BEFORE] = "RV_BW",
		[HB_TRACE_RV_AFTER] = "RV_AW",
		[HB_TRACE_RESULT] = "RV"};
	if (!words[r->kind])
		return false;
	put_thread(d, r);
	if (r->kind <= HB_TRACE_AFTER)
		put_access(d, r, words[r->kind]);
	else
		put_variable(d, r, words[r->kind]);
	return true;
}

static void put_iteration(hb_dumped *d, const hb_trace_record *r)
{
	put_thread(d, r);
	hb__put_text(d->out, "IT: ");
	put_list(d->out, r->index, r->n);
	hb__put_char(d->out, '\n');
}

void hb__put_record_text(hb_dumped *d, const hb_trace_record *r)
{
	if (put_value(d, r))
		return;
	switch (r->kind) {
	case HB_TRACE_ARRAY:
		put_array(d, hb_trace_array_of(d->trace, r->number));
		break;
	case HB_TRACE_BEGIN:
	case HB_TRACE_END:
		put_construct(d, r);
		break;
	case HB_TRACE_ITERATION:
		put_iteration(d, r);
		break;
	case HB_TRACE_TASK:
		hb__put_text(d->out, "TASK: ");
		hb__put_uint(d->out, r->number);
		hb__put_char(d->out, '\n');
		break;
	case HB_TRACE_SKIP:
		hb__put_text(d->out, "SKP");
		put_place(d, r->place);
		break;
	case HB_TRACE_CHECKED:
		put_checksum(d, r);
		break;
	case HB_TRACE_TROUBLE:
		put_comment(d, "trouble: ", r->text);
		break;
	case HB_TRACE_SAVED:
		put_comment(d, "saved: ", r->file);
		break;
	case HB_TRACE_OVER:
		hb__put_text(d->out, "OVER\n");
		break;
	default:
		break;
	}
}
