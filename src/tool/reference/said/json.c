/* Differences for programs: an object on a line each, and one for the sum. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "../reference.h"

static void put_point(cJSON *o, const char *name, const hb_point *p)
{
	char text[HB_POINT_TEXT];
	if (p->number)
		cJSON_AddStringToObject(o, name, hb_point_text(p, text));
	else
		cJSON_AddNullToObject(o, name);
}

/* JSON has no infinity. */
static void put_real(cJSON *o, const char *name, double v)
{
	if (isfinite(v))
		cJSON_AddNumberToObject(o, name, v);
	else
		cJSON_AddNullToObject(o, name);
}

static void put_construct(cJSON *o, const char *name, const hb_trace_construct *c)
{
	cJSON *k = c ? cJSON_AddObjectToObject(o, name) : NULL;
	if (!k)
		return;
	cJSON_AddStringToObject(k, "type", hb_construct_type_name(c->type));
	cJSON_AddStringToObject(k, "name", c->name);
	cJSON_AddStringToObject(k, "file", c->file);
	cJSON_AddNumberToObject(k, "line", c->line);
}

static void put_array(cJSON *o, const hb_array_shape *s, unsigned access)
{
	cJSON *a = cJSON_AddObjectToObject(o, "array");
	cJSON_AddStringToObject(a, "name", s->id.name);
	cJSON_AddStringToObject(a, "file", s->id.file);
	cJSON_AddNumberToObject(a, "line", s->id.line);
	cJSON_AddNumberToObject(a, "ordinal", s->id.ordinal);
	cJSON_AddBoolToObject(a, "read", access & HB_ACCESS_READ);
	cJSON_AddBoolToObject(a, "written", access & HB_ACCESS_WRITE);
}

static double rank_of(const hb_against *c, unsigned side, uint32_t process)
{
	hb_traced_process p;
	hb_points_process(c->side[side].points, process, &p);
	return p.rank;
}

static void put_whole(cJSON *o, const char *name, const hb_tile *t)
{
	char hash[24];
	cJSON *w = cJSON_AddObjectToObject(o, name);
	snprintf(hash, sizeof hash, "%016" PRIx64, t->hash);
	cJSON_AddStringToObject(w, "hash", hash);
	cJSON_AddNumberToObject(w, "count", (double)t->count);
	cJSON_AddNumberToObject(w, "odd", (double)t->odd);
	put_real(w, "least", t->least);
	put_real(w, "greatest", t->greatest);
	put_real(w, "sum", t->sum);
	put_real(w, "squares", t->squares);
}

static void put_indices(cJSON *o, const char *name, const int64_t *at, unsigned n, const int64_t *base)
{
	cJSON *list = cJSON_AddArrayToObject(o, name);
	for (unsigned i = 0; i < n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber((double)(at[i] + (base ? base[i] : 0))));
}

static void put_tile(const hb_against *c, const hb_reference_difference *d, cJSON *o)
{
	int64_t first[HB_DIMENSIONS], count[HB_DIMENSIONS];
	put_whole(o, "reference", &d->whole[0]);
	put_whole(o, "run", &d->whole[1]);
	if (d->placeless)
		return;
	cJSON *t = cJSON_AddObjectToObject(o, "tile");
	hb_tile_box(&d->shape[1]->tiling, d->tile, first, count);
	cJSON_AddNumberToObject(t, "number", d->tile);
	put_indices(t, "first", first, d->shape[1]->as.rank, d->shape[1]->as.base);
	put_indices(t, "count", count, d->shape[1]->as.rank, NULL);
	put_real(t, "distance", d->distance);
	put_real(t, "scale", d->scale);
	cJSON_AddNumberToObject(t, "owners", d->owners);
	if (d->owners && d->owner != HB_NO)
		cJSON_AddNumberToObject(t, "owner", rank_of(c, HB_OF_RUN, d->owner));
	cJSON_AddNumberToObject(o, "differing_tiles", d->tiles);
	cJSON_AddNumberToObject(o, "tiles", d->shape[1]->tiling.tiles);
	cJSON_AddBoolToObject(o, "edges", d->edges);
}

static void put_value(const hb_against *c, const hb_reference_difference *d, cJSON *o)
{
	const hb_access *y = d->value[1];
	const char *place = hb__access_place(&c->side[HB_OF_RUN], y);
	put_real(o, "reference", d->number[0]);
	put_real(o, "run", d->number[1]);
	cJSON_AddNumberToObject(o, "rank", rank_of(c, HB_OF_RUN, y->process));
	if (place)
		cJSON_AddStringToObject(o, "place", place);
	put_indices(o, "iteration", y->iteration, y->n, NULL);
	if (d->kind == HB_REFERENCE_RESULT) {
		cJSON_AddStringToObject(o, "variable", y->variable->name);
		return;
	}
	int64_t index[HB_DIMENSIONS] = {(int64_t)y->element};
	bool owned = true, boxed = d->shape[1]->tiled && !(d->shape[1]->flags & HB_TRACE_ARRAY_OWN);
	if (boxed)
		hb_array_index(&d->shape[1]->as, (int64_t)y->element, index, &owned);
	put_indices(o, "element", index, boxed ? d->shape[1]->as.rank : 1, boxed ? d->shape[1]->as.base : NULL);
	cJSON_AddBoolToObject(o, "halo", !owned);
	cJSON_AddStringToObject(o, "access", y->kind == HB_TRACE_READ ? "read" : "written");
	cJSON_AddNumberToObject(o, "differing", (double)d->differing);
}

static const char *const kind_names[] = {"checksum", "copies", "result", "value", "construct", "processes", "shorter",
	"box", "only", "unknown", "failed", "pieces", "trouble"};

static char *printed(cJSON *o)
{
	char *text = cJSON_PrintUnformatted(o), *line = hb__format("%s\n", text ? text : "{}");
	cJSON_free(text);
	cJSON_Delete(o);
	return line;
}

char *hb__against_json(const hb_against *c, const hb_reference_difference *d)
{
	cJSON *o = cJSON_CreateObject();
	char *sentence = hb__against_sentence(c, d);
	cJSON_AddStringToObject(o, "difference", kind_names[d->kind]);
	cJSON_AddBoolToObject(o, "differs", d->kind < HB_REFERENCE_DIFFERS);
	cJSON_AddBoolToObject(o, "again", d->again);
	cJSON_AddStringToObject(o, "of", d->side ? "run" : "reference");
	cJSON_AddStringToObject(o, "sentence", sentence);
	put_point(o, "point", &d->point);
	put_point(o, "correct", &d->correct);
	put_construct(o, "construct", d->construct[HB_OF_RUN]);
	put_construct(o, "construct_of_reference", d->construct[HB_OF_REFERENCE]);
	put_construct(o, "correct_construct", d->correct_construct);
	const hb_array_shape *s = d->shape[1] ? d->shape[1] : d->shape[0];
	if (s)
		put_array(o, s, d->access);
	if (d->kind == HB_REFERENCE_CHECKSUM || d->kind == HB_REFERENCE_COPIES)
		put_tile(c, d, o);
	if (d->kind == HB_REFERENCE_ONLY) {
		const char *place = hb__access_place(&c->side[d->side], d->value[d->side]);
		if (place)
			cJSON_AddStringToObject(o, "place", place);
		cJSON_AddNumberToObject(o, "writes", (double)d->differing);
	} else if (d->value[1]) {
		put_value(c, d, o);
	}
	free(sentence);
	return printed(o);
}

char *hb__against_sum_json(const hb_against *c, int code)
{
	const hb_reference_sum *s = hb_reference_get_sum(c->rules);
	cJSON *o = cJSON_CreateObject();
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {{"points", s->points}, {"arrays", s->arrays}, {"tiles", s->tiles}, {"results", s->results},
		{"values", s->values}, {"differences", s->differences}, {"again", s->again}, {"failed", s->failed},
		{"unknown", s->unknown}, {"boxes", s->boxes}, {"pieces", s->pieces}, {"own_not_compared", s->own},
		{"partial_tiles", s->partial}, {"shared_values", s->shared}, {"unmatched_values", s->unmatched},
		{"within_tolerance", s->within}};
	cJSON_AddBoolToObject(o, "same", code == 0);
	cJSON_AddNumberToObject(o, "exit", code);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		cJSON_AddNumberToObject(o, counts[i].name, (double)counts[i].n);
	put_real(o, "largest_within_tolerance", s->most);
	put_point(o, "last", &s->last);
	cJSON_AddBoolToObject(o, "parted", s->stopped);
	cJSON_AddNumberToObject(o, "tolerance", c->tolerance.relative);
	cJSON_AddNumberToObject(o, "absolute", c->tolerance.absolute);
	cJSON_AddNumberToObject(o, "cut_of_reference", hb__cut_traced(&c->side[0], false));
	cJSON_AddNumberToObject(o, "cut_of_run", hb__cut_traced(&c->side[1], false));
	return printed(o);
}
