/* Windows of recordings against the plain truth: of random small programs, or of the recordings given. */
#include <getopt.h>
#include <math.h>
#include <unistd.h>

#include "compare.h"
#include "order/suite.h"
#include "unit/rawlog.h"

static struct suite suite = {.seed = 1, .programs = 250, .runs = 1};

/* ---- windows ---- */

/* Places where something happens, and places between. */
static double some_x(const struct compared *c, hb_axis axis, uint64_t *random)
{
	double from, to, enter, exit;
	uint32_t line = (uint32_t)below(random, (int)c->t->info->lines);
	hb_layout_span(c->layout, axis, &from, &to);
	uint32_t events = hb_model_lines(c->t->model)[line].events;
	if (!events || chance(random, 40))
		return from + (to - from) * (below(random, 1201) - 100) / 1000;
	hb_at at = {line, 1 + (uint32_t)below(random, (int)events)};
	hb_layout_x(c->layout, axis, at, &enter, &exit);
	return chance(random, 50) ? enter : exit;
}

static bool *some(uint32_t n, int percent, uint64_t *random)
{
	bool *list = calloc(n + 1u, sizeof *list);
	for (uint32_t i = 0; i < n; i++)
		list[i] = chance(random, percent);
	return list;
}

static void choose_filter(const struct compared *c, uint64_t *random, hb_layout_filter *ret)
{
	const hb_model_info *info = c->t->info;
	if (chance(random, 50))
		ret->function = some(c->nnames, chance(random, 50) ? 50 : 10, random);
	if (chance(random, 30))
		ret->group = some(info->groups, 50, random);
	if (chance(random, 30) && info->channels) {
		ret->has_tag = true;
		ret->tag = hb_model_channels(c->t->model)[below(random, (int)info->channels)].tag;
	}
	if (chance(random, 40))
		ret->hidden_line = some(info->lines, 30, random);
}

static void some_window(struct compared *c, uint64_t *random, const hb_layout_filter *filter)
{
	uint32_t lines = c->t->info->lines, *line = calloc(lines + 1u, sizeof *line);
	hb_window w = {.axis = chance(random, 50) ? HB_AXIS_LOGICAL : HB_AXIS_PHYSICAL,
		.columns = 1 + (uint32_t)below(random, chance(random, 30) ? 5 : 200),
		.most = chance(random, 40) ? 0 : 1 + (uint32_t)below(random, chance(random, 50) ? 40 : 2000),
		.filter = filter};
	double a = some_x(c, w.axis, random), b = some_x(c, w.axis, random);
	w.from = a < b ? a : b;
	w.to = a < b ? b : a;
	if (chance(random, 40)) { /* a narrow one */
		double from, to;
		hb_layout_span(c->layout, w.axis, &from, &to);
		w.to = w.from + (to - from) / (1 << below(random, 16));
	}
	if (w.from == w.to)
		w.to = nextafter(w.to, INFINITY);
	if (chance(random, 10))
		hb_layout_span(c->layout, w.axis, &w.from, &w.to);
	if (chance(random, 30)) {
		w.line = line;
		for (uint32_t i = lines; i-- > 0;)
			if (chance(random, 60))
				line[w.nlines++] = i;
	}
	compare_window(c, &w);
	free(line);
}

static void many_windows(struct compared *c, long n, uint64_t *random)
{
	for (long i = 0; i < n;) {
		hb_layout_filter filter = {0};
		bool filtered = chance(random, 50);
		if (filtered)
			choose_filter(c, random, &filter);
		for (int k = 0; k < 4 && i < n; k++, i++) /* the same filter is asked for again and again */
			some_window(c, random, filtered ? &filter : NULL);
		free((void *)filter.function);
		free((void *)filter.group);
		free((void *)filter.hidden_line);
	}
}

/* Whatever is asked: an answer or an error, no crash. */
static void odd_windows(struct compared *c, uint64_t *random)
{
	static const double odd[] = {
		0, -0.0, 1, -1, 1e300, -1e300, 1e-300, INFINITY, -INFINITY, NAN, 4294967296.0, 1e18};
	static const uint32_t numbers[] = {0, 1, 2, 65535, 65536, UINT32_MAX};
	uint32_t line[] = {0, 0, HB_NO, 1};
	for (int i = 0; i < 100; i++) {
		hb_picture p;
		hb_error err = {0};
		hb_window w = {.axis = chance(random, 5) ? (hb_axis)7 : (hb_axis)below(random, 2),
			.from = chance(random, 30) ? some_x(c, HB_AXIS_LOGICAL, random) : odd[below(random, 12)],
			.to = chance(random, 30) ? some_x(c, HB_AXIS_LOGICAL, random) : odd[below(random, 12)],
			.columns = numbers[below(random, 6)],
			.most = numbers[below(random, 6)],
			.line = chance(random, 30) ? line : NULL,
			.nlines = (uint32_t)below(random, 5)};
		bool bad = !isfinite(w.from) || !isfinite(w.to) || w.from >= w.to || !w.columns || (int)w.axis > 1 ||
			   !isfinite(w.to - w.from);
		hb_status status = hb_layout_query(c->layout, &w, &p, &err);
		if ((bad && status != HB_E_ARGUMENT) || (status && !err.message[0]) || (!bad && !w.line && status)) {
			c->wrong++;
			printf("%s: %g to %g, %u columns: status %d %s\n", c->name, w.from, w.to, w.columns, status,
				err.message);
		}
		hb_picture_free(&p);
	}
}

/* ---- recordings ---- */

static void compare_model(struct compared *c, hb_model *model, const int64_t *shift, long windows, uint64_t seed)
{
	struct truth t;
	hb_error err = {0};
	uint64_t random = seed * 2654435761u + 88172645463325252u;
	c->t = &t;
	if (!truth_open(&t, model, shift) || hb_layout_build(model, shift, NULL, NULL, &c->layout, &err)) {
		c->wrong++;
		printf("%s: no layout: %s\n", c->name, err.message);
	} else {
		c->names = hb_layout_functions(c->layout, &c->nnames);
		compare_places(c);
		if (t.info->lines) {
			many_windows(c, windows, &random);
			odd_windows(c, &random);
		}
		hb_layout_close(c->layout);
	}
	truth_close(&t);
}

static void cut_off(const char *path, uint64_t *random)
{
	FILE *f = fopen(path, "r+");
	if (!f || fseek(f, 0, SEEK_END))
		return;
	long size = ftell(f);
	fclose(f);
	if (truncate(path, size - size / 2 * below(random, 100) / 100))
		printf("cannot cut %s\n", path);
}

static void compare_program(struct compared *c, const struct wish *wish, long i, bool damage)
{
	static struct program p;
	static struct run r;
	struct opened o;
	int64_t shift[MAX_PROCS];
	uint64_t random = suite.seed * 77 + (uint64_t)i + 1;
	if (!suite_program(&suite, wish, i, &p))
		return;
	run_random(&p, suite.seed * 1000 + (uint64_t)i, &r);
	check_path("x");
	record(&r, check_folder);
	for (int proc = 0; proc < p.procs; proc++) {
		char name[32];
		snprintf(name, sizeof name, "rank.%d.log", proc);
		if (damage && chance(&random, 50))
			cut_off(check_path(name), &random);
		shift[proc] = chance(&random, 50) ? 0 : below(&random, 200) - 100;
	}
	if (model_open(&p, damage && chance(&random, 50) ? (unsigned)below(&random, 32) : ~0u, &o))
		compare_model(c, o.model, shift, 24, (uint64_t)i);
	else if (!damage)
		c->wrong++;
	model_close(&o);
}

static void tell(const struct compared *c, bool many)
{
	printf("%s: %ld windows, %ld boxes, %ld densities, %ld arrows (%ld crossing, %ld for several), %ld alternatives, %ld rings\n",
		c->name, c->windows, c->boxes, c->densities, c->arrows, c->crossing, c->merged, c->alternatives,
		c->rings);
	check(c->windows > 0 && !c->wrong, "%s: %ld wrong", c->name, c->wrong);
	if (!many)
		return;
	check(c->boxes > 1000 && c->densities > 100 && c->mixed > 1000 && c->arrows > 1000 && c->crossing > 10 &&
			c->merged > 10 && c->alternatives > 10 && c->rings > 10,
		"%s: everything was seen", c->name);
}

static void many_programs(const char *name, const struct wish *wish, long programs, bool damage)
{
	struct compared c = {.name = name};
	for (long i = 0; i < programs; i++)
		compare_program(&c, wish, i, damage);
	tell(&c, true);
}

/* More names than a byte counts, calls that are hours apart, times that go backwards. */
static void compare_odd_log(uint64_t gap, uint64_t lasted)
{
	enum { FUNCTIONS = 300, EVENTS = 1000 };
	struct raw_log r;
	hb_source source = {.rank = 3};
	hb_error err = {0};
	hb_model *model = NULL;
	hb_layout *l = NULL;
	raw_begin(&r, HB_LEVEL_EVENTS);
	raw_lane(&r, 0, 1);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		char name[32];
		snprintf(name, sizeof name, "MPI_Nothing_%03u", i);
		raw_function(&r, i, 0, name, 0);
		raw_slot(&r, 0, i, i, 0, 0, 0, NULL);
	}
	for (unsigned i = 0; i < EVENTS; i++)
		raw_event(&r, 0, i % FUNCTIONS, i % 7 ? gap : 3, i % 5 ? lasted : 1, 0, 0, NULL);
	raw_save(&r, check_path("rank.3.log"));
	raw_free(&r);
	bool good = !hb_log_open(check_path("rank.3.log"), &source.log, &err) &&
		    !hb_model_build(&source, 1, NULL, NULL, &model, &err) &&
		    !hb_layout_build(model, NULL, NULL, NULL, &l, &err);
	check(good, "gaps of %llu: a layout %s", (unsigned long long)gap, err.message);
	uint32_t names, wrong = 0;
	double last = -1, tick_ns = good ? hb_log_get_info(source.log)->tick_ns : 0;
	const char *const *name = good ? hb_layout_functions(l, &names) : NULL;
	uint64_t tick = 0;
	for (uint32_t i = 0; good && i < EVENTS; i++) {
		double enter, exit;
		hb_picture p;
		hb_layout_x(l, HB_AXIS_PHYSICAL, (hb_at){0, i + 1}, &enter, &exit);
		tick += i % 7 ? gap : 3;
		double near = 64 * (double)gap * tick_ns / UINT32_MAX + 64 * (double)lasted * tick_ns / UINT32_MAX;
		wrong += !(enter >= last && exit >= enter) ||
			 (gap < UINT64_MAX / EVENTS / 4 && fabs(enter - (double)tick * tick_ns) > near);
		tick += i % 5 ? lasted : 1;
		last = exit;
		hb_window w = {.axis = HB_AXIS_LOGICAL, .from = i + 0.5, .to = i + 1.5, .columns = 10};
		if (hb_layout_query(l, &w, &p, &err) || p.nboxes != 1 || p.boxes[0].at.event != i + 1 ||
			strtoul(name[p.boxes[0].function] + 12, NULL, 10) != i % FUNCTIONS)
			wrong++;
		hb_picture_free(&p);
	}
	check(good && names == FUNCTIONS && !wrong, "gaps of %llu: %u of %u names, %u wrong", (unsigned long long)gap,
		names, (unsigned)FUNCTIONS, wrong);
	hb_layout_close(l);
	hb_model_close(model);
	hb_log_close(source.log);
}

/* A recording on disk; its number of ranks is found by trying. */
static void compare_recording(const char *folder, long windows)
{
	struct compared c = {.name = folder};
	hb_source *source = NULL;
	int64_t *shift = NULL;
	size_t n = 0;
	hb_error err = {0};
	hb_model *model;
	for (;; n++) {
		char path[4096];
		source = realloc(source, (n + 1) * sizeof *source);
		shift = realloc(shift, (n + 1) * sizeof *shift);
		source[n] = (hb_source){.rank = (int32_t)n};
		shift[n] = (int64_t)(n % 3) * 500;
		snprintf(path, sizeof path, "%s/rank.%zu.log", folder, n);
		if (access(path, R_OK) || hb_log_open(path, &source[n].log, &err))
			break;
	}
	if (check(n && !hb_model_build(source, n, NULL, NULL, &model, &err), "%s is a recording %s", folder,
		    err.message)) {
		compare_model(&c, model, shift, windows, suite.seed);
		tell(&c, false);
		hb_model_close(model);
	}
	for (size_t i = 0; i < n; i++)
		hb_log_close(source[i].log);
	free(source);
	free(shift);
}

int main(int argc, char **argv)
{
	suite_options(&suite, argc, argv);
	for (int i = optind; i < argc; i++)
		compare_recording(argv[i], suite.programs);
	if (optind == argc) {
		many_programs(
			"one lane", &(struct wish){.lanes = 1, .calls = 20, .probed = true}, suite.programs, false);
		many_programs("two lanes", &(struct wish){.lanes = 2, .calls = 10, .own_comms = true, .procs = 3},
			suite.programs / 2, false);
		many_programs("damaged", &(struct wish){.lanes = 1, .calls = 16}, suite.programs / 2, true);
		compare_odd_log(5, 2);
		compare_odd_log(10000000000000, 50000000000);
		compare_odd_log(UINT64_MAX / 3, UINT64_MAX - 5);
		check_clean();
	}
	return check_end();
}
