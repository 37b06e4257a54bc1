/* Traces of one run put together at points: arrays are the sum of their processes, whatever these are; regions; threads; runs that
 * grow, processes that end early, or come by another construct. */
#include "../unit/check.h"
#include "heat.h"
#include "model/points/points.h"

static hb_points *opened(const char *folder, int processes, bool ended)
{
	hb_points *p;
	hb_error e = {0};
	char path[600];
	if (hb_points_open(&p, &e))
		abort();
	for (int i = processes; i--;) { /* in whatever order */
		snprintf(path, sizeof path, "%s/rank.%d.trace", folder, i);
		if (hb_points_add(p, path, &e))
			printf("  %s\n", e.message);
	}
	if (ended)
		hb_points_end(p);
	return p;
}

static char *run(const struct heat *h)
{
	static int number;
	char name[16];
	snprintf(name, sizeof name, "run%d", number++);
	char *folder = strdup(check_path(name)), command[200];
	snprintf(command, sizeof command, "mkdir %s", folder);
	if (system(command))
		abort();
	free(heat_run(h, folder));
	return folder;
}

static const hb_check *find(const hb_step *s, const char *name)
{
	for (size_t i = 0; i < s->checks; i++)
		if (!strcmp(s->check[i].shape->id.name, name))
			return &s->check[i];
	return NULL;
}

/* Point by point the same arrays. */
static void decompositions(void)
{
	const struct heat one = {.processes = 1};
	char *a = run(&one);
	for (int n = 2; n <= 7; n++) {
		const struct heat many = {.processes = n};
		char *b = run(&many);
		hb_points *p = opened(a, 1, true), *q = opened(b, n, true);
		hb_step x, y;
		hb_error e;
		size_t points = 0, same = 0, copies = 0;
		while (hb_points_next(p, &x, &e) > 0 && hb_points_next(q, &y, &e) > 0) {
			points++;
			bool all = hb_point_compare(&x.point, &y.point) == HB_POINT_EQUAL || !x.point.number;
			for (const char *const *name = (const char *const[]){"u", "v", NULL}; *name; name++) {
				const hb_check *c = find(&x, *name), *d = find(&y, *name);
				all = all && !c == !d && (!c || (d->parts == (uint32_t)n && d->tile));
				for (uint32_t i = 0; c && d && i < c->shape->tiling.tiles; i++)
					all = all && c->tile[i].hash == d->tile[i].hash &&
					      c->tile[i].count == d->tile[i].count;
			}
			for (size_t i = 0; i < y.checks; i++)
				copies += y.check[i].apart;
			same += all && y.came == (uint32_t)n && y.other == HB_NO && y.absent == HB_NO;
		}
		check(points == 26 && same == 26 && copies == 6 * (size_t)n && hb_points_done(p) && hb_points_done(q),
			"%d processes: the arrays are those of one at %zu of %zu points", n, same, points);
		hb_points_close(p);
		hb_points_close(q);
		free(b);
	}
	free(a);
}

static void ended_early(void)
{
	const struct heat h = {.processes = 3, .dies = 5};
	char *folder = run(&h);
	hb_points *p = opened(folder, 3, true);
	hb_step s;
	hb_error e;
	uint64_t last = 0;
	uint32_t absent = HB_NO;
	while (hb_points_next(p, &s, &e) > 0) {
		if (s.absent != HB_NO && absent == HB_NO) {
			absent = s.absent;
			last = s.point.number;
		}
	}
	check(absent == 2 && last == 9, "a process that ended is told at its next point (%u, %llu)", absent,
		(unsigned long long)last);
	hb_points_close(p);
	free(folder);
}

static void grows(void)
{
	const struct heat h = {.processes = 2};
	char *folder = run(&h), path[600];
	snprintf(path, sizeof path, "%s/rank.1.trace", folder);
	static uint8_t b[1 << 20];
	FILE *f = fopen(path, "rb");
	size_t n = fread(b, 1, sizeof b, f), k = sizeof(struct hb_trace_header);
	fclose(f);
	f = fopen(path, "wb");
	fwrite(b, 1, k, f);
	fflush(f);
	hb_points *p = opened(folder, 2, false);
	hb_step s;
	hb_error e;
	size_t points = 0, alone = 0;
	for (; k < n; k += 97) {
		fwrite(b + k, 1, n - k < 97 ? n - k : 97, f);
		fflush(f);
		while (hb_points_next(p, &s, &e) > 0) {
			points++;
			alone += s.came != 2;
		}
	}
	fclose(f);
	check(points == 26 && !alone && hb_points_done(p), "a run is followed while it grows: %zu points", points);
	hb_points_close(p);
	p = opened(folder, 1, false);
	check(hb_points_world(p) == 2 && !hb_points_next(p, &s, &e),
		"without all of its processes there is no first point");
	hb_points_end(p);
	check(hb_points_next(p, &s, &e) == 1 && s.came == 1, "... until it has ended");
	check(hb_points_add(p, path, &e) == HB_OK && hb_points_add(p, path, &e) == HB_E_ARGUMENT,
		"a process has one trace");
	hb_points_close(p);
	free(folder);
}

/* Region 1 with tasks: process 0 has 1 and 2, process 1 has 0; a loop in each. Threads of process 0. */
static void regions(void)
{
	struct writer w;
	double u[4] = {1, 2, 3, 4};
	hb_array a = {.name = "u", .at = u, .type = HB_REAL8, .rank = 1, .global = {4}};
	char *folder = strdup(check_path("regions")), path[600];
	snprintf(path, sizeof path, "mkdir %s", folder);
	if (system(path))
		abort();
	for (int p = 0; p < 2; p++) {
		w_open(&w, p, 2);
		w_array(&w, 1, &a, "a.c", 1, 0, HB_TRACE_ARRAY_OWN);
		w_construct(&w, 1, 0, HB_CONSTRUCT_REGION, 1, "r", "a.c", 2);
		w_construct(&w, 2, 1, HB_CONSTRUCT_PARALLEL, 1, "l", "a.c", 3);
		w_point(&w, false, 1, "1.B");
		for (int t = p ? 0 : 2; t >= (p ? 0 : 1); t--) {
			char text[40];
			w_uv(&w, HB_TRACE_TASK);
			w_uv(&w, (uint64_t)t);
			snprintf(text, sizeof text, "1.%d.1.B", t);
			w_point(&w, false, 2, text);
			w_thread(&w, 1);
			w_iteration(&w, 1, (const int64_t[]){40 + t});
			w_access(&w, HB_TRACE_READ, 0, 1, 2, &u[2], sizeof *u);
			w_thread(&w, 0);
			w_checked(&w, 1, HB_ACCESS_WRITE, &a);
			snprintf(text, sizeof text, "1.%d.1.E", t);
			w_point(&w, true, 2, text);
		}
		w_point(&w, true, 1, "1.E");
		w_over(&w);
		snprintf(path, sizeof path, "%s/rank.%d.trace", folder, p);
		w_close(&w, path);
	}
	hb_points *p = opened(folder, 2, true);
	hb_step s;
	hb_error e;
	char all[400] = "", text[HB_POINT_TEXT];
	size_t right = 0, used = 0;
	while (hb_points_next(p, &s, &e) > 0) {
		used += (size_t)snprintf(all + used, sizeof all - used, "%s ", hb_point_text(&s.point, text));
		if (s.accesses)
			right += s.access[0].n == 2 && s.access[0].iteration[0] == (int64_t)s.point.task &&
				 s.access[0].iteration[1] == 40 + (int64_t)s.point.task && s.access[0].thread == 1 &&
				 s.checks == 1 && s.check[0].apart && s.check[0].process == (s.point.task == 0);
	}
	check(!strcmp(all, "1.B 1.0.1.B 1.0.1.E 1.1.1.B 1.1.1.E 1.2.1.B 1.2.1.E 1.E  "),
		"tasks by number, whoever did them: %s", all);
	check(right == 3, "their accesses have task and iteration, also those of other threads (%zu)", right);
	hb_points_close(p);
	free(folder);
}

int main(void)
{
	decompositions();
	ended_early();
	grows();
	regions();
	check_clean();
	return check_end();
}
