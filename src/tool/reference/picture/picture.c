/* hbdb compare picture */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../show/inert.h"
#include "../../store/find.h"
#include "../verbs.h"
#include "picture.h"

static int write_picture(const hb_map *map, const char *file)
{
	double width, height;
	size_t n = strlen(file);
	bool png = n > 4 && !strcmp(file + n - 4, ".png");
	if (png && !hb__pen_has_png())
		return hb__fail_with(HB_EXIT_USAGE, "this hbdb was built without PNG: give a name that ends in .svg");
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return hb__fail_with(HB_EXIT_USAGE, "cannot write %s: %s", file, strerror(errno));
	hb_output *out = hb__alloc(sizeof *out);
	*out = (hb_output){.fd = fd};
	hb__map_size(map, &width, &height);
	hb_pen *pen = png ? hb__pen_png(out, width, height, 1) : hb__pen_svg(out, width, height, map->what.title);
	const char *why = pen ? NULL : "out of memory";
	if (pen) {
		hb__map_draw(map, pen);
		why = hb__pen_end(pen);
	}
	hb__flush(out);
	bool broken = out->broken || close(fd);
	int error = out->error;
	free(out);
	if (why || broken)
		return hb__fail_with(
			HB_EXIT_USAGE, "cannot write %s: %s", file, why ? why : strerror(error ? error : errno));
	return 0;
}

/* All that was saved, in one file. */
static int keep(const char *recording, const hb_drawn *d, const hb_array_id *id, const hb_point *at)
{
	char text[HB_POINT_TEXT], *name = hb__copy(id->name);
	for (char *p = name; *p; p++)
		if (*p == '/' || *p == ' ')
			*p = '_';
	char *path = hb__format("%s/%s.%s.npy", recording, name, hb_point_text(at, text));
	int code = hb__npy_write(path, &d->whole)
			   ? 0
			   : hb__fail_with(HB_EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
	if (!code)
		hb__say("%s: all of the array", hb__short(path));
	free(name);
	free(path);
	return code;
}

static double norm_of(const hb_drawn *d)
{
	double squares = 0;
	for (uint32_t i = 0; i < d->tiling.tiles; i++)
		squares += d->tile[i].squares;
	return sqrt(squares);
}

/* The distance of each tile, relative to its norm or to its share of the array's, as rules/reference has it at one point. */
static double *tile_differences(const hb_drawn *a, const hb_drawn *b)
{
	double *difference = hb__alloc(a->tiling.tiles * sizeof *difference), whole = fmax(norm_of(a), norm_of(b));
	uint64_t elements = 0;
	for (uint32_t i = 0; i < a->tiling.tiles; i++)
		elements += a->tile[i].count;
	for (uint32_t i = 0; i < a->tiling.tiles; i++) {
		const hb_tile *x = &a->tile[i], *y = &b->tile[i];
		double scale = fmax(
			whole * sqrt((double)x->count / fmax((double)elements, 1)), sqrt(fmax(x->squares, y->squares)));
		double distance = hb_tile_distance(x, y);
		difference[i] = x->hash == y->hash                         ? 0
				: x->count != y->count || x->odd != y->odd ? INFINITY
				: distance > 0 && scale > 0                ? distance / scale
				: !hb_element_real(a->type)                ? INFINITY
									   : 0;
	}
	return difference;
}

static bool same_box(const hb_drawn *a, const hb_drawn *b)
{
	return a->type == b->type && a->tiling.rank == b->tiling.rank &&
	       !memcmp(a->tiling.global, b->tiling.global, sizeof a->tiling.global);
}

int hb__read_both(const char *reference, const char *run, const hb_array_id *id, const hb_point *at, hb_drawn ret[2])
{
	hb_drawn *a = &ret[HB_OF_REFERENCE], *b = &ret[HB_OF_RUN];
	char text[HB_POINT_TEXT];
	*b = (hb_drawn){0};
	int code = hb__read_drawn(reference, id, at, a);
	code = code ? code : hb__read_drawn(run, id, at, b);
	bool elements = a->whole.at && b->whole.at, tiles = a->tile && b->tile;
	if (!code && !elements && !tiles)
		code = hb__fail_with(HB_EXIT_USAGE,
			"neither elements nor checksums of \"%s\" at %s are in both runs: record them with --save %s:%s:%u:%u --at %s",
			id->name, hb_point_text(at, text), id->name, id->file ? id->file : "", id->line, id->ordinal,
			text);
	if (!code && !same_box(a, b))
		code = hb__fail_with(
			HB_EXIT_USAGE, "the array \"%s\" has another type or other extents in the two runs", id->name);
	return code;
}

int hb__map_both(const hb_drawn both[2], const hb_map_what *what, hb_map *ret_map)
{
	const hb_drawn *a = &both[HB_OF_REFERENCE], *b = &both[HB_OF_RUN];
	char *why = NULL;
	if (!a->whole.at || !b->whole.at) {
		double *difference = tile_differences(a, b);
		hb__map_tiles(&a->tiling, difference, what, ret_map);
		free(difference);
		return 0;
	}
	if (hb__map_elements(&a->whole, &b->whole, what, ret_map, &why))
		return 0;
	int code = hb__fail_with(HB_EXIT_USAGE, "%s", why);
	free(why);
	return code;
}

char *hb__map_title(const hb_array_id *id, const hb_point *at, const char *reference, const char *run)
{
	char text[HB_POINT_TEXT];
	char *title =
		hb__format("%s at %s: %s and ", hb__tame(id->name), hb_point_text(at, text), hb__short(reference));
	char *both = hb__format("%s%s", title, hb__short(run));
	free(title);
	return both;
}

static int draw(const hb_drawn both[2], const hb_map_what *what, const char *file)
{
	hb_map map = {0};
	int code = hb__map_both(both, what, &map);
	code = code ? code : write_picture(&map, file);
	if (!code)
		hb__say("%s: where the array differs, by %s", file, map.tiles ? "tiles" : "elements");
	hb__map_free(&map);
	return code;
}

int hb__picture(const char *reference, const char *run, const hb_array_id *id, const hb_point *at, double tolerance,
	const char *file)
{
	hb_drawn both[2];
	int code = hb__read_both(reference, run, id, at, both);
	const hb_drawn *a = &both[HB_OF_REFERENCE], *b = &both[HB_OF_RUN];
	if (!code) {
		char *title = hb__map_title(id, at, reference, run);
		hb_map_what what = {
			.title = title, .base = b->base, .tolerance = tolerance, .box = b->box, .boxes = b->boxes};
		code = draw(both, &what, file);
		free(title);
	}
	if (!code && a->whole.at && b->whole.at) {
		code = keep(reference, a, id, at);
		code = code ? code : keep(run, b, id, at);
	}
	hb__drawn_free(&both[HB_OF_REFERENCE]);
	hb__drawn_free(&both[HB_OF_RUN]);
	return code;
}

/* ---- the command ---- */

/* The array that was asked for, else the first one whose checksum differs. */
static int choose(const hb_args *args, char *path[2], const hb_reference_tolerance *tolerance, hb_difference_place *ret)
{
	const hb_point none = {0};
	int code = hb__read_saved(args, &none, &ret->id, &ret->array_at);
	if (code || ret->id.name)
		return code;
	return hb__place_of_difference(NULL, path[0], path[1], tolerance, ret);
}

int hb__compare_picture(const hb_args *args)
{
	char *path[2] = {NULL, NULL};
	hb_difference_place place = {0};
	hb_reference_tolerance tolerance = {.relative = 1e-8};
	if (args->nwords != 3 || args->rest)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare picture takes two recordings that differ, as in 'hbdb compare picture -o flux.svg reference.hbdb run.hbdb'");
	int code = hb__read_tolerances(args, &tolerance);
	code = code ? code : hb__find_recording(args->word[1], &path[0]);
	code = code ? code : hb__find_recording(args->word[2], &path[1]);
	code = code ? code : choose(args, path, &tolerance, &place);
	if (!code && !place.id.name) {
		printf("no checksum of an array differs in these recordings: there is nothing to draw, but what --save and --at name\n");
	} else if (!code) {
		char text[HB_POINT_TEXT];
		const char *given = hb__option_value(args, "output");
		char *file = given ? hb__copy(given)
				   : hb__format("%s-%s.svg", place.id.name, hb_point_text(&place.array_at, text));
		code = hb__picture(path[0], path[1], &place.id, &place.array_at, tolerance.relative, file);
		free(file);
	}
	hb__place_free(&place);
	free(path[0]);
	free(path[1]);
	return code;
}
