/* Variables of reductions, and their results. */
#include <string.h>

#include "capture/accesses/front/front.h"

#define VARIABLES 256u

struct variable {
	uint64_t number; /* from 1 on */
	const char *name, *file;
	uint32_t line;
	hb_element type;
	hb_reduction how;
	const void *at;                 /* NULL: it is complete, and nobody is at it */
	const struct hb__construct *of; /* the construct that is under way; NULL: it has ended */
	uint8_t bytes;
};

static struct variable variables[VARIABLES];
static unsigned count;

static void define(struct hb__thread *t, const struct variable *v)
{
	uint8_t record[2 * HB__TEXT_MOST + 8 * HB__UV], *w = hb__uv(record, HB_TRACE_VARIABLE);
	w = hb__uv(w, v->number);
	w = hb__str(w, v->name);
	w = hb__str(w, v->file);
	w = hb__uv(w, v->line);
	w = hb__uv(w, v->type);
	w = hb__uv(w, v->how);
	hb__define(t, record, (size_t)(w - record));
}

static struct variable *variable_of(
	struct hb__thread *t, const char *name, hb_reduction how, hb_element type, const char *file, int line)
{
	struct variable *v = variables;
	for (; v < variables + count; v++)
		if (v->line == (uint32_t)line && v->type == type && v->how == how && !strncmp(v->name, name, 200) &&
			!strcmp(v->file, file))
			return v;
	if (count == VARIABLES)
		return NULL;
	*v = (struct variable){.number = count + 1u,
		.name = hb__text_copy(name, 200),
		.file = hb__text_copy(file, HB__TEXT_MOST),
		.line = (uint32_t)line,
		.type = type,
		.how = how,
		.bytes = (uint8_t)hb_element_bytes(type)};
	if (!v->name || !v->file)
		return NULL;
	count++;
	define(t, v);
	return v;
}

void hb__reduction_told(struct hb__thread *t, const char *name, hb_reduction how, hb_element type, const void *at,
	const char *file, int line)
{
	if ((unsigned)type >= HB_ELEMENTS || !at || !hb__depth)
		return;
	struct variable *v = variable_of(t, name ? name : "", how, type, hb__last_part(file), line);
	if (!v)
		return;
	v->at = at;
	v->of = hb__innermost()->construct;
	if (hb__watcher.reduction)
		hb__watcher.reduction(at, type);
}

static void put_value(struct hb__thread *t, hb_trace_kind kind, uint64_t place, const struct variable *v)
{
	if (!hb__put_begin(t, 3 * HB__UV + 16, kind != HB_TRACE_RESULT))
		return;
	uint8_t *w = hb__uv(t->w, kind);
	if (kind != HB_TRACE_RESULT)
		w = hb__uv(w, place);
	w = hb__uv(w, v->number);
	memcpy(w, v->at, v->bytes);
	t->w = w + v->bytes;
	hb__put_done(t);
}

static void complete(struct hb__thread *t, struct variable *v)
{
	if (hb__watcher.reduced)
		hb__watcher.reduced(v->at);
	if (hb__level_now() != HB_TRACE_NONE && hb__may_read(v->at, v->bytes))
		put_value(t, HB_TRACE_RESULT, 0, v);
	v->at = NULL;
	v->of = NULL;
}

void hb__reduction_complete(struct hb__thread *t, const void *at)
{
	for (struct variable *v = variables; v < variables + count; v++)
		if (v->at == at)
			complete(t, v);
}

/* Where there are other processes the value is not complete before the program says so. */
void hb__reductions_end(struct hb__thread *t, const struct hb__construct *of)
{
	for (struct variable *v = variables; v < variables + count; v++)
		if (v->at && v->of == of && hb__door->alone())
			complete(t, v);
}

bool hb__put_variable(struct hb__thread *thread, hb_trace_kind kind, uint64_t place, const void *at)
{
	for (const struct variable *v = variables; v < variables + count; v++)
		if (v->at == at) {
			if (!hb__wanted.dry)
				put_value(thread, kind, place, v);
			return true;
		}
	return false;
}
