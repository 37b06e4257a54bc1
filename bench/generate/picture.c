/* What the picture of a recording costs: opening it, building, and windows of every size on both axes. Prints JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "view/layout/overview.h"

#define COLUMNS 1600
#define PLACES 9 /* of a window of one size */

struct run {
	hb_source *source;
	uint32_t n;
	uint64_t events;
	hb_model *model;
	hb_layout *layout;
};

static double cpu(void)
{
	struct timespec c;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c);
	return (double)c.tv_sec + (double)c.tv_nsec * 1e-9;
}

/* KiB of memory of our own, without the logs that are mapped. */
static long own_kib(void)
{
	char line[256];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "RssAnon:", 8))
			kib = atol(line + 8);
	if (f)
		fclose(f);
	return kib;
}

static int fail(const char *what, const hb_error *err)
{
	fprintf(stderr, "picture: %s: %s\n", what, err->message);
	return 1;
}

static int open_logs(const char *folder, struct run *ret)
{
	hb_error err = {0};
	for (uint32_t room = 0;; ret->n++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/rank.%" PRIu32 ".log", folder, ret->n);
		if (access(path, R_OK))
			return ret->n ? 0 : fail(folder, &(hb_error){.message = "no rank.0.log"});
		if (ret->n == room) {
			room = room ? 2 * room : 64;
			ret->source = realloc(ret->source, room * sizeof *ret->source);
		}
		ret->source[ret->n] = (hb_source){.rank = (int32_t)ret->n};
		if (!ret->source || hb_log_open(path, &ret->source[ret->n].log, &err))
			return fail(path, &err);
		ret->events += hb_log_get_info(ret->source[ret->n].log)->events;
	}
}

/* ---- windows ---- */

struct sums {
	double worst, sum;
	long asked;
	size_t boxes, arrows, parts, densities, bytes; /* most of each */
};

static void raise(size_t *most, size_t n) { *most = n > *most ? n : *most; }

/* How long the answer would be as text (src/view/API.md). */
static size_t text_of(const hb_picture *p)
{
	char t[512];
	size_t n = 200;
	for (size_t i = 0; i < p->nboxes; i++) {
		const hb_box *b = &p->boxes[i];
		n += (size_t)snprintf(t, sizeof t, "[%u,%u,%.0f,%.0f,%.0f,%u,%u,%u],", b->at.line, b->at.event, b->x0,
			b->x1, b->waited, b->function, b->kind, b->flags);
	}
	for (size_t i = 0; i < p->narrows; i++) {
		const hb_arrow *a = &p->arrows[i];
		n += (size_t)snprintf(t, sizeof t, "[%u,%u,%.0f,%u,%u,%.0f,%u,%u,%u],", a->from.line, a->from.event,
			a->x0, a->to.line, a->to.event, a->x1, a->send, a->merged, a->flags);
	}
	for (size_t i = 0; i < p->nparts; i++)
		n += (size_t)snprintf(t, sizeof t, "[%u,%u,%.0f,%.0f],", p->parts[i].at.line, p->parts[i].at.event,
			p->parts[i].x0, p->parts[i].x1);
	for (size_t i = 0; i < p->ndensities; i++)
		for (uint32_t k = 0; k < p->columns; k++)
			n += (size_t)snprintf(
				t, sizeof t, "%u,%u,", p->densities[i].count[k], p->densities[i].waiting[k]);
	return n;
}

static int ask(const struct run *r, const hb_window *w, struct sums *s)
{
	hb_picture p;
	hb_error err = {0};
	double begin = cpu();
	if (hb_layout_query(r->layout, w, &p, &err))
		return fail("window", &err);
	double took = cpu() - begin;
	s->worst = took > s->worst ? took : s->worst;
	s->sum += took;
	s->asked++;
	raise(&s->boxes, p.nboxes);
	raise(&s->arrows, p.narrows);
	raise(&s->parts, p.nparts);
	raise(&s->densities, p.ndensities);
	raise(&s->bytes, text_of(&p));
	hb_picture_free(&p);
	return 0;
}

/* From everything down to a millionth of it, on one axis. */
static int zoom(
	const struct run *r, hb_axis axis, const hb_layout_filter *filter, uint32_t lines, struct sums *s, bool each)
{
	double from, to;
	uint32_t *line = calloc(r->n + 1, sizeof *line);
	hb_layout_span(r->layout, axis, &from, &to);
	for (uint32_t i = 0; i < lines; i++)
		line[i] = i;
	for (int depth = 0; depth <= 20; depth++) {
		struct sums here = {0};
		double width = (to - from) / (1 << depth);
		for (int i = 0; i < (depth ? PLACES : 2); i++) {
			hb_window w = {.axis = axis,
				.columns = COLUMNS,
				.filter = filter,
				.line = lines ? line : NULL,
				.nlines = lines};
			w.from = from + (to - from - width) * i / (PLACES - 1);
			w.to = w.from + width;
			if (ask(r, &w, s) || (each && ask(r, &w, &here)))
				return 1;
		}
		if (each)
			printf("  {\"depth\": %d, \"worst_ms\": %.3f, \"boxes\": %zu, \"arrows\": %zu, \"parts\": %zu, \"densities\": %zu, \"bytes\": %zu}%s\n",
				depth, here.worst * 1e3, here.boxes, here.arrows, here.parts, here.densities,
				here.bytes, depth < 20 ? "," : "");
	}
	free(line);
	return 0;
}

static int tell(const struct run *r, const char *name, const hb_layout_filter *filter, uint32_t lines)
{
	for (int axis = 0; axis < 2; axis++) {
		struct sums first = {0}, s = {0};
		double from, to;
		hb_layout_span(r->layout, (hb_axis)axis, &from, &to);
		hb_window all = {.axis = (hb_axis)axis, .columns = COLUMNS, .filter = filter, .from = from, .to = to};
		if (ask(r, &all, &first) || zoom(r, (hb_axis)axis, filter, lines, &s, false))
			return 1;
		printf(" \"%s, %s\": {\"first_ms\": %.3f, \"worst_ms\": %.3f, \"mean_ms\": %.3f, \"windows\": %ld, \"boxes\": %zu, \"arrows\": %zu, \"parts\": %zu, \"densities\": %zu, \"bytes\": %zu},\n",
			name, axis ? "physical" : "logical", first.worst * 1e3, s.worst * 1e3,
			s.sum / (double)s.asked * 1e3, s.asked, s.boxes, s.arrows, s.parts, s.densities, s.bytes);
		fflush(stdout);
	}
	return 0;
}

static int windows(const struct run *r)
{
	const hb_model_info *info = hb_model_get_info(r->model);
	uint32_t n, lines = info->lines / 4 + 1;
	hb_layout_functions(r->layout, &n);
	bool *function = calloc(n + 1, sizeof *function), *group = calloc(info->groups + 1, sizeof *group);
	for (uint32_t i = 0; i < n; i += 2)
		function[i] = true;
	group[0] = true;
	hb_layout_filter by_function = {.function = function}, by_group = {.group = group}, by_tag = {.has_tag = true};
	by_tag.tag = info->channels ? hb_model_channels(r->model)[0].tag : 0;
	int failed = tell(r, "all", NULL, 0) || tell(r, "some lines", NULL, lines) ||
		     tell(r, "half of the functions", &by_function, 0) || tell(r, "a group", &by_group, 0) ||
		     tell(r, "a tag", &by_tag, 0);
	free(function);
	free(group);
	return failed;
}

/* The first picture, from the opened logs. */
static int first(const struct run *r)
{
	hb_error err = {0};
	hb_overview *o;
	hb_picture p;
	double begin = cpu(), from, to;
	if (hb_overview_open(r->source, r->n, NULL, &o, &err))
		return fail("overview", &err);
	double opened = cpu();
	hb_overview_span(o, &from, &to);
	hb_window w = {.axis = HB_AXIS_PHYSICAL, .from = from, .to = to, .columns = COLUMNS};
	if (hb_overview_query(o, &w, &p, &err))
		return fail("overview", &err);
	printf(" \"first\": {\"cpu\": %.6f, \"window_ms\": %.3f, \"events\": %" PRIu64 ", \"own_kib\": %ld},\n",
		opened - begin, (cpu() - opened) * 1e3, p.events, own_kib());
	fflush(stdout);
	hb_picture_free(&p);
	hb_overview_close(o);
	return 0;
}

static int build(struct run *r)
{
	hb_error err = {0};
	double begin = cpu();
	if (hb_model_build(r->source, r->n, NULL, NULL, &r->model, &err))
		return fail("model", &err);
	printf(" \"model\": {\"cpu\": %.6f, \"own_kib\": %ld},\n", cpu() - begin, own_kib());
	fflush(stdout);
	long before = own_kib();
	begin = cpu();
	if (hb_layout_build(r->model, NULL, NULL, NULL, &r->layout, &err))
		return fail("layout", &err);
	printf(" \"layout\": {\"cpu\": %.6f, \"own_kib\": %ld},\n", cpu() - begin, own_kib() - before);
	fflush(stdout);
	return 0;
}

static int zooms(const struct run *r)
{
	for (int axis = 0; axis < 2; axis++) {
		struct sums s = {0};
		printf(" \"zoom %s\": [\n", axis ? "physical" : "logical");
		if (zoom(r, (hb_axis)axis, NULL, 0, &s, true))
			return 1;
		printf(" ],\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool each = false, only_first = false, bad = false;
	struct run r = {0};
	for (int c; (c = getopt(argc, argv, "zf")) != -1;) {
		each = each || c == 'z';
		only_first = only_first || c == 'f';
		bad = bad || c == '?';
	}
	if (bad || optind != argc - 1) {
		fprintf(stderr, "usage: picture [-f|-z] NAME.hbdb\n"
				"  -f: the first picture only; -z: windows of each size by themselves, too\n");
		return 2;
	}
	double begin = cpu();
	if (open_logs(argv[optind], &r))
		return 1;
	printf("{\"ranks\": %u, \"events\": %" PRIu64 ", \"open\": {\"cpu\": %.6f, \"own_kib\": %ld},\n", r.n, r.events,
		cpu() - begin, own_kib());
	if (first(&r))
		return 1;
	if (!only_first && (build(&r) || windows(&r) || (each && zooms(&r))))
		return 1;
	printf(" \"done\": true}\n");
	hb_layout_close(r.layout);
	hb_model_close(r.model);
	for (uint32_t i = 0; i < r.n; i++)
		hb_log_close(r.source[i].log);
	free(r.source);
	return 0;
}
