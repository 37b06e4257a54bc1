/* What a trace defines: constructs, arrays, variables, places, modules. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/trace/reader/reading.h"

const char *hb__trace_text(struct hb__in *in, char **at, size_t *room)
{
	uint64_t n = hb__in_uv(in);
	const uint8_t *p = hb__in_bytes(in, n);
	if (!p || !HB_GROW(*at, *room, n + 1))
		return NULL;
	memcpy(*at, p, n);
	(*at)[n] = 0;
	return *at;
}

/* A text that stays; `old` where it is the same. */
static const char *kept(hb_trace *t, const char *old)
{
	const char *text = hb__trace_text(&t->in, &t->text, &t->text_room);
	if (!text || (old && !strcmp(old, text)))
		return text ? old : NULL;
	size_t n = strlen(text) + 1;
	char *copy = hb__arena_get(&t->arena, n);
	return copy ? memcpy(copy, text, n) : NULL;
}

/* The room of a number, zeroed where it is new. NULL: a number that cannot be, or no memory. */
static void *entry(hb_trace *t, struct hb__trace_table *table, uint64_t number, size_t bytes)
{
	if (!number || number > table->n + HB_TRACE_AHEAD)
		return NULL;
	size_t had = table->room;
	if (!HB_GROW(table->at, table->room, number + 1))
		return NULL;
	memset(table->at + had, 0, (table->room - had) * sizeof *table->at);
	if (!table->at[number]) {
		table->at[number] = hb__arena_get(&t->arena, bytes);
		if (!table->at[number])
			return NULL;
		memset(table->at[number], 0, bytes);
		table->n++;
		table->last = number > table->last ? number : table->last;
	}
	return table->at[number];
}

static const void *find(const struct hb__trace_table *table, uint64_t number)
{
	return number <= table->last && table->last ? table->at[number] : NULL;
}

/* Sources are known by the last component of their path: a program is built in other places. */
static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

bool hb__trace_put_construct(hb_trace *t, const hb_trace_construct *c)
{
	hb_trace_construct *to = entry(t, &t->construct, c->number, sizeof *to);
	if (to)
		*to = *c;
	return to != NULL;
}

bool hb__trace_put_array(hb_trace *t, hb_trace_array *a)
{
	hb_array there = a->as;
	there.at = ""; /* somewhere: it is not looked at */
	a->tiled = !hb_array_trouble(&there) && hb_tiling_make(a->as.rank, a->as.columns, a->as.global, &a->tiling);
	hb_trace_array *to = entry(t, &t->array, a->number, sizeof *to);
	if (to)
		*to = *a;
	return to != NULL;
}

bool hb__trace_put_variable(hb_trace *t, const hb_trace_variable *v)
{
	hb_trace_variable *to = entry(t, &t->variable, v->number, sizeof *to);
	if (to)
		*to = *v;
	return to != NULL;
}

/* A definition is read whole before it takes the place of an older one: others point to that. */
static bool construct(hb_trace *t, hb_trace_record *r)
{
	hb_trace_construct c = {.number = r->number = hb__in_uv(&t->in)};
	const hb_trace_construct *old = find(&t->construct, c.number);
	c.parent = hb__in_uv(&t->in);
	uint64_t type = hb__in_uv(&t->in), rank = hb__in_uv(&t->in);
	c.name = kept(t, old ? old->name : NULL);
	c.file = c.name ? kept(t, old ? old->file : NULL) : NULL;
	c.line = (uint32_t)hb__in_uv(&t->in);
	c.function = c.file ? kept(t, old ? old->function : NULL) : NULL;
	uint64_t level = hb__in_uv(&t->in);
	if (!c.function || type >= HB_CONSTRUCT_TYPES || rank > HB_DIMENSIONS || level >= HB_TRACE_LEVELS ||
		c.parent >= c.number || t->in.bad)
		return false;
	c.type = (hb_construct_type)type;
	c.rank = (unsigned)rank;
	c.level = (hb_trace_level)level;
	return hb__trace_put_construct(t, &c);
}

static void dimension(struct hb__in *in, hb_array *a, unsigned d)
{
	a->base[d] = hb__in_sv(in);
	a->global[d] = (int64_t)hb__in_uv(in);
	a->first[d] = hb__in_sv(in);
	a->count[d] = (int64_t)hb__in_uv(in);
	a->below[d] = (int64_t)hb__in_uv(in);
	a->above[d] = (int64_t)hb__in_uv(in);
	a->block[d] = (int64_t)hb__in_uv(in);
	a->over[d] = (int64_t)hb__in_uv(in);
	a->place[d] = (int64_t)hb__in_uv(in);
}

static bool array(hb_trace *t, hb_trace_record *r)
{
	hb_trace_array a = {.number = r->number = hb__in_uv(&t->in)};
	const hb_trace_array *old = find(&t->array, a.number);
	const char *name = kept(t, old ? old->id.name : NULL), *file = name ? kept(t, old ? old->id.file : NULL) : NULL;
	if (!file)
		return false;
	a.id = (hb_array_id){.name = (char *)(uintptr_t)name, .file = (char *)(uintptr_t)last_component(file)};
	a.id.line = (uint32_t)hb__in_uv(&t->in);
	a.id.ordinal = (uint32_t)hb__in_uv(&t->in);
	uint64_t type = hb__in_uv(&t->in), rank = hb__in_uv(&t->in);
	a.flags = (unsigned)hb__in_uv(&t->in) & (HB_TRACE_ARRAY_WHOLE - 1);
	a.address = hb__in_uv(&t->in);
	if (type >= HB_ELEMENTS || rank > HB_DIMENSIONS)
		return false;
	a.as = (hb_array){.name = a.id.name,
		.type = (hb_element)type,
		.rank = (unsigned)rank,
		.columns = (a.flags & HB_TRACE_ARRAY_COLUMNS) != 0,
		.replicated = (a.flags & HB_TRACE_ARRAY_REPLICATED) != 0,
		.read_only = (a.flags & HB_TRACE_ARRAY_READ_ONLY) != 0};
	for (unsigned d = 0; d < rank; d++)
		dimension(&t->in, &a.as, d);
	return !t->in.bad && hb__trace_put_array(t, &a);
}

static bool variable(hb_trace *t, hb_trace_record *r)
{
	r->number = hb__in_uv(&t->in);
	const hb_trace_variable *old = find(&t->variable, r->number);
	const char *name = kept(t, old ? old->name : NULL), *file = name ? kept(t, NULL) : NULL;
	uint32_t line = (uint32_t)hb__in_uv(&t->in);
	uint64_t type = hb__in_uv(&t->in), how = hb__in_uv(&t->in);
	if (!file || type >= HB_ELEMENTS || how > HB_OTHER || t->in.bad)
		return false;
	const hb_trace_variable v = {r->number, name, last_component(file), line, (hb_element)type, (hb_reduction)how};
	return hb__trace_put_variable(t, &v);
}

static bool place(hb_trace *t, hb_trace_record *r)
{
	hb_trace_place p = {.number = r->number = hb__in_uv(&t->in)};
	p.module = hb__in_uv(&t->in);
	p.offset = hb__in_uv(&t->in);
	p.back = hb__in_uv(&t->in);
	hb_trace_place *to = t->in.bad ? NULL : entry(t, &t->place, p.number, sizeof *to);
	if (to)
		*to = p;
	return to != NULL;
}

static bool module(hb_trace *t, hb_trace_record *r)
{
	r->number = hb__in_uv(&t->in);
	const char *path = kept(t, hb_trace_module_of(t, r->number));
	const char **to = path ? entry(t, &t->module, r->number, sizeof *to) : NULL;
	if (to)
		*to = path;
	return to != NULL;
}

bool hb__trace_define(hb_trace *t, hb_trace_kind kind, hb_trace_record *r)
{
	switch (kind) {
	case HB_TRACE_CONSTRUCT:
		return construct(t, r);
	case HB_TRACE_ARRAY:
		return array(t, r);
	case HB_TRACE_VARIABLE:
		return variable(t, r);
	case HB_TRACE_PLACE:
		return place(t, r);
	case HB_TRACE_MODULE:
		return module(t, r);
	default:
		return false;
	}
}

void hb__trace_forget(hb_trace *t)
{
	free(t->construct.at);
	free(t->array.at);
	free(t->variable.at);
	free(t->place.at);
	free(t->module.at);
	hb__arena_free(&t->arena);
}

const hb_trace_construct *hb_trace_construct_of(const hb_trace *t, uint64_t number)
{
	return find(&t->construct, number);
}

const hb_trace_array *hb_trace_array_of(const hb_trace *t, uint64_t number) { return find(&t->array, number); }

const hb_trace_variable *hb_trace_variable_of(const hb_trace *t, uint64_t number) { return find(&t->variable, number); }

const hb_trace_place *hb_trace_place_of(const hb_trace *t, uint64_t number) { return find(&t->place, number); }

const char *hb_trace_module_of(const hb_trace *t, uint64_t number)
{
	const char *const *path = find(&t->module, number);
	return path ? *path : NULL;
}

uint64_t hb_trace_constructs(const hb_trace *t) { return t->construct.last; }

uint64_t hb_trace_arrays(const hb_trace *t) { return t->array.last; }
