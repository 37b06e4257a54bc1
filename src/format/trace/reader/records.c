/* One record of a trace after the other. What it names has to be defined. */
#include <string.h>

#include "base/grow.h"
#include "format/trace/reader/reading.h"

static bool read_point(hb_trace *t, bool end, hb_point *ret)
{
	*ret = (hb_point){.number = hb__in_uv(&t->in), .end = end};
	uint64_t nested = hb__in_uv(&t->in);
	ret->nested = nested != 0;
	if (nested) {
		ret->task = hb__in_uv(&t->in);
		ret->inner = hb__in_uv(&t->in);
	}
	return !t->in.bad && nested <= 1 && (!nested || (ret->number && ret->inner));
}

static bool begin_or_end(hb_trace *t, hb_trace_record *r)
{
	bool end = r->kind == HB_TRACE_END;
	r->number = hb__in_uv(&t->in);
	if (!hb_trace_construct_of(t, r->number) || !read_point(t, end, &r->point))
		return false;
	r->event = hb__in_uv(&t->in);
	r->time = hb__in_uv(&t->in);
	if (end)
		t->opens -= t->opens > 0;
	else if (!HB_GROW(t->open, t->opens_room, t->opens + 1))
		return false;
	else
		t->open[t->opens++] = r->point;
	return true;
}

static bool indices(hb_trace *t, unsigned had, unsigned *ret_n, int64_t *to)
{
	uint64_t n = hb__in_uv(&t->in);
	if (n > HB_TRACE_INDICES - had)
		return false;
	for (uint64_t i = 0; i < n; i++)
		to[had + i] = hb__in_sv(&t->in);
	*ret_n = (unsigned)n;
	return true;
}

static bool value_of(hb_trace *t, hb_element type, hb_trace_record *r)
{
	r->bytes = hb_element_bytes(type);
	r->value = hb__in_bytes(&t->in, r->bytes);
	return r->value != NULL;
}

static bool access(hb_trace *t, hb_trace_record *r)
{
	r->place = hb__in_uv(&t->in);
	r->number = hb__in_uv(&t->in);
	r->element = hb__in_uv(&t->in);
	const hb_trace_array *a = hb_trace_array_of(t, r->number);
	return a && value_of(t, a->as.type, r);
}

static bool variable_access(hb_trace *t, hb_trace_record *r)
{
	if (r->kind != HB_TRACE_RESULT)
		r->place = hb__in_uv(&t->in);
	r->number = hb__in_uv(&t->in);
	const hb_trace_variable *v = hb_trace_variable_of(t, r->number);
	return v && value_of(t, v->type, r);
}

static uint64_t u64_of(const uint8_t **p)
{
	uint64_t v;
	memcpy(&v, *p, sizeof v);
	*p += sizeof v;
	return v;
}

static double f64_of(const uint8_t **p)
{
	double v;
	memcpy(&v, *p, sizeof v);
	*p += sizeof v;
	return v;
}

static bool tile_of(hb_trace *t, const hb_trace_array *a, uint32_t i)
{
	uint64_t number = hb__in_uv(&t->in);
	const uint8_t *p = hb__in_bytes(&t->in, (7 + 2 * HB_SKETCH) * 8);
	if (!p || !a->tiled || number >= a->tiling.tiles)
		return false;
	hb_tile *tile = &t->tile[i];
	t->tile_number[i] = (uint32_t)number;
	tile->hash = u64_of(&p);
	tile->count = u64_of(&p);
	tile->odd = u64_of(&p);
	tile->least = f64_of(&p);
	tile->greatest = f64_of(&p);
	tile->sum = f64_of(&p);
	tile->squares = f64_of(&p);
	for (unsigned k = 0; k < 2 * HB_SKETCH; k++)
		tile->sketch[k / HB_SKETCH][k % HB_SKETCH] = f64_of(&p);
	return true;
}

/* That of the innermost construct that has points. */
void hb__trace_point_of_sum(const hb_trace *t, hb_trace_record *r)
{
	for (size_t i = t->opens; i--;)
		if (t->open[i].number) {
			r->point = t->open[i];
			break;
		}
	r->point.end = true;
}

static bool checked(hb_trace *t, hb_trace_record *r)
{
	r->number = hb__in_uv(&t->in);
	uint64_t access = hb__in_uv(&t->in), state = hb__in_uv(&t->in);
	const hb_trace_array *a = hb_trace_array_of(t, r->number);
	if (!a || access > (HB_ACCESS_READ | HB_ACCESS_WRITE) || state > HB_CHECKSUM_STRANGE)
		return false;
	r->access = (unsigned)access;
	r->state = (unsigned)state;
	uint64_t n = state == HB_CHECKSUM_FINE ? hb__in_uv(&t->in) : 0;
	if (n > HB_TILES_MOST)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!tile_of(t, a, (uint32_t)i))
			return false;
	r->tile = t->tile;
	r->tile_number = t->tile_number;
	r->tiles = (uint32_t)n;
	hb__trace_point_of_sum(t, r);
	return true;
}

static bool saved(hb_trace *t, hb_trace_record *r)
{
	r->number = hb__in_uv(&t->in);
	if (!hb_trace_array_of(t, r->number) || !read_point(t, true, &r->point))
		return false;
	r->file = hb__trace_text(&t->in, &t->text, &t->text_room);
	return r->file != NULL;
}

static bool trouble(hb_trace *t, hb_trace_record *r)
{
	uint64_t what = hb__in_uv(&t->in);
	r->number = hb__in_uv(&t->in);
	r->state = (unsigned)what;
	r->text = hb__trace_text(&t->in, &t->text, &t->text_room);
	return r->text && what < HB_TROUBLES;
}

static bool control(hb_trace *t, hb_trace_record *r)
{
	uint64_t finding = hb__in_uv(&t->in);
	r->number = hb__in_uv(&t->in);
	r->element = hb__in_uv(&t->in);
	r->place = hb__in_uv(&t->in);
	r->other = hb__in_uv(&t->in);
	r->state = (unsigned)finding;
	return finding < HB_CONTROLS && indices(t, 0, &r->n, r->index) && indices(t, r->n, &r->others, r->index);
}

static bool cost(hb_trace *t, hb_trace_record *r)
{
	r->number = hb__in_uv(&t->in);
	for (size_t i = 0; i < sizeof r->cost / sizeof *r->cost; i++)
		r->cost[i] = hb__in_uv(&t->in);
	return hb_trace_construct_of(t, r->number) != NULL;
}

static bool gone(hb_trace *t, hb_trace_record *r)
{
	r->number = hb__in_uv(&t->in);
	if (t->in.bad || !hb_trace_array_of(t, r->number))
		return false;
	((hb_trace_array *)t->array.at[r->number])->gone = true;
	return true;
}

static bool rest(hb_trace *t, hb_trace_record *r)
{
	switch (r->kind) {
	case HB_TRACE_CONSTRUCT:
	case HB_TRACE_ARRAY:
	case HB_TRACE_VARIABLE:
	case HB_TRACE_PLACE:
	case HB_TRACE_MODULE:
		return hb__trace_define(t, r->kind, r);
	case HB_TRACE_GONE:
		return gone(t, r);
	case HB_TRACE_BEGIN:
	case HB_TRACE_END:
		return begin_or_end(t, r);
	case HB_TRACE_ITERATION:
		return indices(t, 0, &r->n, r->index);
	case HB_TRACE_TASK:
		r->number = hb__in_uv(&t->in);
		return true;
	case HB_TRACE_READ:
	case HB_TRACE_BEFORE:
	case HB_TRACE_AFTER:
		return access(t, r);
	case HB_TRACE_RV_READ:
	case HB_TRACE_RV_BEFORE:
	case HB_TRACE_RV_AFTER:
	case HB_TRACE_RESULT:
		return variable_access(t, r);
	case HB_TRACE_SKIP:
		r->place = hb__in_uv(&t->in);
		return true;
	case HB_TRACE_CHECKED:
		return checked(t, r);
	case HB_TRACE_SAVED:
		return saved(t, r);
	case HB_TRACE_TROUBLE:
		return trouble(t, r);
	case HB_TRACE_CONTROL:
		return control(t, r);
	case HB_TRACE_COST:
		return cost(t, r);
	case HB_TRACE_OVER:
		return true;
	default:
		return false;
	}
}

bool hb__trace_record(hb_trace *t, hb_trace_record *r)
{
	uint64_t kind = hb__in_uv(&t->in);
	if (kind >= HB_TRACE_KINDS)
		return false;
	r->kind = (hb_trace_kind)kind;
	r->thread = t->thread;
	return rest(t, r) && !t->in.bad;
}
