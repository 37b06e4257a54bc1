/* The first picture, from the indexes of the recordings given, beside all their rows. */
#include <math.h>
#include <unistd.h>

#include "unit/check.h"
#include "view/layout/overview.h"

#define NEAR 1200 /* events by which a window may be wrong: two edges between points 512 apart */

struct line {
	double *enter, *exit;
	uint64_t n;
};

struct seen {
	const char *name;
	hb_source *source;
	int64_t *shift;
	size_t n;
	struct line *line;
	uint32_t lines;
	long wrong, stretches, windows;
};

static void wrong(struct seen *s, const char *what, uint32_t line)
{
	if (s->wrong++ < 10)
		printf("%s, line %u: %s\n", s->name, line, what);
}

/* ---- stretches against rows ---- */

static void check_lane(struct seen *s, size_t process, uint32_t lane)
{
	hb_log *log = s->source[process].log;
	double tick_ns = hb_log_get_info(log)->tick_ns;
	hb_lane_info info;
	hb_log_lane(log, lane, &info);
	struct line *l = &s->line[s->lines];
	uint64_t *left = calloc(info.events + 1, sizeof *left), due = 1;
	l->enter = calloc(info.events + 2, sizeof *l->enter);
	l->exit = calloc(info.events + 2, sizeof *l->exit);
	hb_cursor *cursor;
	hb_row row;
	hb_error err;
	if (hb_cursor_open(log, lane, 1, &cursor, &err))
		abort();
	for (; hb_cursor_next(cursor, &row, &err) == 1; l->n++) {
		l->enter[l->n] = (double)s->shift[process] + (double)row.enter * tick_ns;
		l->exit[l->n] = (double)s->shift[process] + (double)row.exit * tick_ns;
		left[l->n + 1] = row.exit;
	}
	hb_cursor_close(cursor);
	if (info.inside)
		l->enter[l->n] = l->exit[l->n] = (double)s->shift[process] + (double)info.inside_enter * tick_ns;
	l->n += info.inside != 0;
	hb_stretch stretch;
	for (uint64_t i = 0; hb_log_stretch(log, lane, i, &stretch, &err) == HB_OK; i++, due += stretch.events) {
		s->stretches++;
		bool begins =
			stretch.first == 1 && (double)s->shift[process] + (double)stretch.tick * tick_ns <= l->enter[0];
		if (stretch.first != due || stretch.first + stretch.events - 1 > info.events ||
			(!begins && stretch.tick != left[stretch.first - 1]))
			wrong(s, "a stretch", s->lines);
	}
	if (due != info.events + 1 || err.status != HB_E_ARGUMENT)
		wrong(s, "the stretches are not all of the lane", s->lines);
	free(left);
	s->lines++;
}

/* ---- windows ---- */

static void check_lines(struct seen *s, const hb_overview *o)
{
	uint32_t n;
	const hb_overview_line *line = hb_overview_lines(o, &n);
	double from, to;
	hb_overview_span(o, &from, &to);
	if (n != s->lines)
		wrong(s, "number of lines", n);
	for (uint32_t i = 0; i < n && n == s->lines; i++) {
		const struct line *l = &s->line[i];
		if (line[i].events != l->n)
			wrong(s, "number of events", i);
		if (l->n && (line[i].begin != l->enter[0] || line[i].end != l->exit[l->n - 1] || from > line[i].begin ||
				    to < line[i].end))
			wrong(s, "begin or end", i);
	}
}

static void check_window(struct seen *s, const hb_overview *o, double from, double to, bool all)
{
	uint32_t pick[] = {s->lines - 1, 0};
	bool some = random() % 3 == 0 && s->lines > 1;
	hb_window w = {.axis = HB_AXIS_PHYSICAL, .from = from, .to = to, .columns = 1 + (uint32_t)random() % 300};
	hb_picture p;
	hb_error err = {0};
	if (some) {
		w.line = pick;
		w.nlines = 2;
	}
	s->windows++;
	if (hb_overview_query(o, &w, &p, &err) || p.ndensities != (some ? 2 : s->lines)) {
		wrong(s, err.message, 0);
		return;
	}
	for (size_t i = 0; i < p.ndensities; i++) {
		const hb_density *d = &p.densities[i];
		const struct line *l = &s->line[d->line];
		uint64_t sum = 0, truth = 0;
		for (uint32_t k = 0; k < p.columns; k++)
			sum += d->count[k];
		for (uint64_t k = 0; k < l->n; k++)
			truth += l->enter[k] >= from && l->enter[k] <= to;
		if (sum != d->events || fabs((double)sum - (double)truth) > NEAR || (all && sum != l->n) ||
			d->line != (some ? pick[i] : i))
			wrong(s, "a density", d->line);
	}
	if (p.hidden != p.events || p.nboxes || p.narrows)
		wrong(s, "what is hidden", 0);
	hb_picture_free(&p);
}

static void check_overview(struct seen *s)
{
	hb_overview *o;
	hb_error err = {0};
	double from, to;
	hb_picture p;
	if (hb_overview_open(s->source, s->n, s->shift, &o, &err)) {
		wrong(s, err.message, 0);
		return;
	}
	check_lines(s, o);
	hb_overview_span(o, &from, &to);
	check_window(s, o, from, to, true);
	for (int i = 0; i < 50; i++) {
		double a = from + (to - from) * (double)(random() % 1000) / 1000;
		check_window(s, o, a, a + (to - from) / (double)(1 + random() % 1000), false);
	}
	hb_window odd[] = {{.axis = HB_AXIS_LOGICAL, .to = 1, .columns = 1},
		{.axis = HB_AXIS_PHYSICAL, .to = NAN, .columns = 1},
		{.axis = HB_AXIS_PHYSICAL, .from = 2, .to = 1, .columns = 1}, {.axis = HB_AXIS_PHYSICAL, .to = 1}};
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		if (hb_overview_query(o, &odd[i], &p, &err) != HB_E_ARGUMENT)
			wrong(s, "a window that is none", (uint32_t)i);
	hb_overview_close(o);
}

static void check_recording(const char *folder)
{
	struct seen s = {.name = folder};
	hb_error err = {0};
	for (;; s.n++) {
		char path[4096];
		s.source = realloc(s.source, (s.n + 1) * sizeof *s.source);
		s.shift = realloc(s.shift, (s.n + 1) * sizeof *s.shift);
		s.source[s.n] = (hb_source){.rank = (int32_t)s.n};
		s.shift[s.n] = (int64_t)(s.n % 5) * 1000 - 2000;
		snprintf(path, sizeof path, "%s/rank.%zu.log", folder, s.n);
		if (access(path, R_OK) || hb_log_open(path, &s.source[s.n].log, &err))
			break;
	}
	for (size_t i = 0; i < s.n; i++)
		for (uint32_t lane = 0; lane < hb_log_get_info(s.source[i].log)->lanes; lane++) {
			s.line = realloc(s.line, (s.lines + 1) * sizeof *s.line);
			s.line[s.lines] = (struct line){0};
			check_lane(&s, i, lane);
		}
	check_overview(&s);
	check(s.n && s.windows && s.stretches && !s.wrong, "%s: first picture, %ld stretches, %ld wrong", folder,
		s.stretches, s.wrong);
	for (size_t i = 0; i < s.n; i++)
		hb_log_close(s.source[i].log);
	for (uint32_t i = 0; i < s.lines; i++) {
		free(s.line[i].enter);
		free(s.line[i].exit);
	}
	free(s.line);
	free(s.source);
	free(s.shift);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	hb_overview *o;
	hb_picture p;
	hb_error err = {0};
	hb_source none = {.rank = 0};
	hb_window w = {.axis = HB_AXIS_PHYSICAL, .to = 1, .columns = 5};
	check(!hb_overview_open(&none, 1, NULL, &o, &err) && !hb_overview_query(o, &w, &p, &err) && !p.events,
		"a run without any log");
	hb_picture_free(&p);
	hb_overview_close(o);
	for (int i = 1; i < argc; i++)
		check_recording(argv[i]);
	return check_end();
}
