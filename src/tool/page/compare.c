/* The run against a reference, as `hbdb compare report` tells it, and where an array differs, as `hbdb compare picture` draws it. Compared before
 * the page is served; an array is read when its map is asked for. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "../live/points.h"
#include "../reference/picture/picture.h"
#include "../store/find.h"
#include "compare.h"

#define DIFFERENCES_MOST 500
#define TOLERANCE 1e-8 /* as compare report has it */

/* What was wrong stands on the terminal. */
#define NO_MAP "there is no map of it: the terminal in which hbdb view runs shows why"

struct hb_page_compare {
	char *path[2];    /* of both recordings, by HB_OF_* */
	hb_strings lines; /* the differences, an object each */
	char *said;       /* what was compared, and how it ended */
	/* the array that was asked for last */
	bool held;
	size_t of;
	hb_array_id id;
	hb_point point;
	char *at;          /* the event of the first process that comes by the point; NULL: none is known */
	hb_drawn drawn[2]; /* by HB_OF_* */
};

/* ---- comparing ---- */

/* The end of the report in words; the differences are told one by one. */
static int say_end(const hb_against *c, char **ret)
{
	size_t n;
	hb_against end = *c;
	end.json = false;
	end.lines = (hb_strings){0};
	FILE *f = open_memstream(ret, &n);
	if (!f)
		return hb__fail_with(HB_EXIT_USAGE, "out of memory");
	hb__against_print(&end, f);
	fclose(f);
	return 0;
}

int hb__page_compare(const char *reference, const char *run, hb_page_compare **ret)
{
	hb_page_compare *p = *ret = hb__alloc(sizeof *p);
	hb_against c = {.tolerance = {.relative = TOLERANCE}, .json = true};
	int code = hb__find_recording(reference, &p->path[HB_OF_REFERENCE]);
	if (code)
		return code;
	p->path[HB_OF_RUN] = hb__copy(run);
	char *name[2];
	for (unsigned side = 0; side < 2; side++)
		name[side] = hb__copy(hb__short(p->path[side]));
	for (unsigned side = 0; side < 2 && !code; side++)
		code = hb__open_traced(name[side], p->path[side], &c.side[side]);
	code = code ? code : hb__against_begin(&c);
	code = code ? code : hb__against_go(&c);
	code = code ? code : say_end(&c, &p->said);
	p->lines = c.lines;
	c.lines = (hb_strings){0};
	hb__against_end(&c);
	for (unsigned side = 0; side < 2; side++) {
		hb__close_traced(&c.side[side]);
		free(name[side]);
	}
	return code;
}

static void let_go(hb_page_compare *p)
{
	hb__drawn_free(&p->drawn[0]);
	hb__drawn_free(&p->drawn[1]);
	free(p->id.name);
	free(p->id.file);
	free(p->at);
	p->id = (hb_array_id){0};
	p->at = NULL;
	p->held = false;
}

void hb__page_end_compare(hb_page_compare *p)
{
	if (!p)
		return;
	let_go(p);
	hb__strings_free(&p->lines);
	free(p->said);
	free(p->path[0]);
	free(p->path[1]);
	free(p);
}

/* free() has to do for it, as for all texts here. */
static char *printed(cJSON *o)
{
	char *text = cJSON_PrintUnformatted(o), *copy = hb__copy(text ? text : "{}");
	cJSON_free(text);
	cJSON_Delete(o);
	return copy;
}

char *hb__page_differences(const hb_page_compare *p)
{
	size_t n = p->lines.n < DIFFERENCES_MOST ? p->lines.n : DIFFERENCES_MOST;
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "reference", hb__short(p->path[HB_OF_REFERENCE]));
	cJSON_AddStringToObject(o, "said", p->said);
	cJSON_AddNumberToObject(o, "more", (double)(p->lines.n - n));
	cJSON *list = cJSON_AddArrayToObject(o, "differences");
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, cJSON_Parse(p->lines.at[i]));
	return printed(o);
}

/* ---- the map of an array ---- */

/* The array and the point that a difference is about; false: it is about none. */
static bool read_difference(const char *line, hb_array_id *id, hb_point *point)
{
	cJSON *o = cJSON_Parse(line), *array = cJSON_GetObjectItem(o, "array");
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(array, "name"));
	const char *file = cJSON_GetStringValue(cJSON_GetObjectItem(array, "file"));
	const char *at = cJSON_GetStringValue(cJSON_GetObjectItem(o, "point"));
	bool good = name && at && hb_point_read(at, point) == HB_POINT_FINE;
	if (good)
		*id = (hb_array_id){hb__copy(name), hb__copy(file ? file : ""),
			(uint32_t)cJSON_GetNumberValue(cJSON_GetObjectItem(array, "line")),
			(uint32_t)cJSON_GetNumberValue(cJSON_GetObjectItem(array, "ordinal"))};
	cJSON_Delete(o);
	return good;
}

static char *event_at(hb_run *run, const hb_point *point)
{
	char text[HB_POINT_TEXT], name[HB_EVENT_NAME],
		*wanted = hb__format(HB_POINT_PREFIX "%s", hb_point_text(point, text));
	char *found = NULL;
	for (uint32_t i = 0; i < hb_model_get_info(run->model)->processes && !found; i++) {
		hb_at at;
		char *why = NULL;
		if (!hb__point_event(run, i, wanted, &at, &why))
			found = hb__copy(hb__event_name(run, at, name));
		free(why);
	}
	free(wanted);
	return found;
}

static const char *hold(hb_page_compare *p, hb_run *run, size_t of)
{
	if (p->held && p->of == of)
		return NULL;
	let_go(p);
	if (of >= p->lines.n || !read_difference(p->lines.at[of], &p->id, &p->point))
		return "this difference is not one of an array at a point";
	p->of = of;
	if (hb__read_both(p->path[HB_OF_REFERENCE], p->path[HB_OF_RUN], &p->id, &p->point, p->drawn)) {
		let_go(p);
		return NO_MAP;
	}
	p->at = event_at(run, &p->point);
	p->held = true;
	return NULL;
}

/* FIRST:COUNT for each dimension, with commas between them, from 0. False: it is no part of the array. */
static bool read_part(const char *text, const hb_tiling *t, hb_map_box *ret)
{
	for (unsigned d = 0; d < t->rank; d++) {
		int64_t *to[2] = {&ret->first[d], &ret->count[d]};
		for (unsigned i = 0; i < 2; i++) {
			char *end;
			*to[i] = strtoll(text, &end, 10);
			if (end == text || *end != (i == 0 ? ':' : d + 1 < t->rank ? ',' : 0))
				return false;
			text = end + (*end != 0);
		}
		if (ret->first[d] < 0 || ret->count[d] < 1 || ret->count[d] > t->global[d] ||
			ret->first[d] > t->global[d] - ret->count[d])
			return false;
	}
	return true;
}

static void put_list(cJSON *o, const char *name, const int64_t *at, unsigned n)
{
	cJSON *list = cJSON_AddArrayToObject(o, name);
	for (unsigned i = 0; i < n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber((double)at[i]));
}

/* NULL: *ret_why. */
static char *draw(const hb_map *map, hb_output *out, const char **ret_why)
{
	double width, height;
	hb__map_size(map, &width, &height);
	bool empty = !ftruncate(out->fd, 0) && !lseek(out->fd, 0, SEEK_SET);
	hb_pen *pen = empty ? hb__pen_svg(out, width, height, map->what.title) : NULL;
	if (pen)
		hb__map_draw(map, pen);
	*ret_why = pen ? hb__pen_end(pen) : "out of memory";
	return *ret_why ? NULL : hb__taken(out, 0);
}

static char *map_object(const hb_page_compare *p, const hb_map *map, const char *svg)
{
	double size[2], plot[4];
	hb__map_size(map, &size[0], &size[1]);
	hb__map_plot(map, &plot[0], &plot[1], &plot[2], &plot[3]);
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "svg", svg);
	cJSON_AddItemToObject(o, "size", cJSON_CreateDoubleArray(size, 2));
	cJSON_AddItemToObject(o, "plot", cJSON_CreateDoubleArray(plot, 4));
	cJSON_AddBoolToObject(o, "tiles", map->tiles);
	cJSON_AddNumberToObject(o, "across", map->across);
	cJSON_AddNumberToObject(o, "down", map->down);
	put_list(o, "global", map->global, map->rank);
	put_list(o, "tile", p->drawn[HB_OF_RUN].tiling.extent, map->rank);
	put_list(o, "first", map->from, map->rank);
	put_list(o, "count", map->count, map->rank);
	if (p->at)
		cJSON_AddStringToObject(o, "at", p->at);
	else
		cJSON_AddNullToObject(o, "at");
	return printed(o);
}

char *hb__page_map(
	hb_page_compare *p, hb_run *of_run, hb_output *out, size_t of, const char *part, const char **ret_why)
{
	hb_map map = {0};
	hb_map_box box = {0};
	*ret_why = hold(p, of_run, of);
	if (*ret_why)
		return NULL;
	const hb_drawn *run = &p->drawn[HB_OF_RUN];
	if (*part && !read_part(part, &run->tiling, &box)) {
		*ret_why = "part must be FIRST:COUNT for each dimension, within the array";
		return NULL;
	}
	char *title = hb__map_title(&p->id, &p->point, p->path[HB_OF_REFERENCE], p->path[HB_OF_RUN]), *svg = NULL;
	hb_map_what what = {.title = title,
		.base = run->base,
		.tolerance = TOLERANCE,
		.box = run->box,
		.boxes = run->boxes,
		.part = *part ? &box : NULL};
	if (hb__map_both(p->drawn, &what, &map))
		*ret_why = NO_MAP;
	else
		svg = draw(&map, out, ret_why);
	char *text = svg ? map_object(p, &map, svg) : NULL;
	hb__map_free(&map);
	free(svg);
	free(title);
	return text;
}
