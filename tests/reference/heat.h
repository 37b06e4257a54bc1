/* A run of a small heat program on any number of processes, with its mistakes, as traces: computed here for all processes at once.
 *
 * u and v are n x m, rows distributed over processes; in each step a loop "sweep" makes v of u, then a loop "copy" u of v. k is a
 * replicated array, sum the result of a reduction. Points: step t (from 0) has 2t+1 and 2t+2, and the run ends with a hb_point. */
#ifndef TESTS_REFERENCE_HEAT_H
#define TESTS_REFERENCE_HEAT_H

#include <math.h>

#include "writer.h"

enum { HEAT_N = 60, HEAT_M = 40 };

/* Steps are counted from 1 here; 0: in none. */
struct heat {
	int processes, steps; /* 0: 1 and 6 */
	int no_halo;          /* the step in which process 1 has the row of process 0 as it was a step ago */
	double noise;         /* added to every value, relative: rounding */
	int copy_differs;     /* the step in which k is another one at the last process */
	int other_loop;       /* the step in which the loop is called otherwise */
	int failed;           /* the step in which there is no checksum of v */
	int line;             /* of u; 0: 10 */
	int n;                /* other extents; 0: HEAT_N */
	int without;          /* v is not registered */
	int sum_wrong;        /* the step in which the sum is another one */
	int dies;             /* the step in which the last process ends; its trace is cut */
	int rows_lost;        /* the last process has not its last row */
	int swap;             /* the step in which two elements of u, next to each other, change their places */
	int full;             /* the step in which reads and writes are told */
	int reverse;          /* the sum is made in another order */
};

struct heat_state {
	double *u, *v, *before; /* global, and u a step ago */
	double k[8];
	int n;
};

static inline int heat_first(const struct heat *h, int n, int process) { return n * process / h->processes; }

/* The box of a process; its storage is a window of the global array: rows of a global array are next to each other. */
static inline hb_array heat_rows(
	const struct heat *h, const struct heat_state *s, const char *name, const double *global, int process)
{
	int lo = heat_first(h, s->n, process), hi = heat_first(h, s->n, process + 1);
	if (h->rows_lost && process == h->processes - 1)
		hi--;
	return (hb_array){.name = name,
		.at = global + (size_t)lo * HEAT_M,
		.type = HB_REAL8,
		.rank = 2,
		.global = {s->n, HEAT_M},
		.first = {lo, 0},
		.count = {hi - lo, HEAT_M}};
}

/* The same with a halo of a row on both sides, as it is told. */
static inline hb_array heat_told(hb_array a)
{
	a.below[0] = a.above[0] = 1;
	return a;
}

static inline void heat_define(struct writer *w, const struct heat *h, const struct heat_state *s, int process)
{
	hb_array u = heat_told(heat_rows(h, s, "u", s->u, process)), v = heat_told(heat_rows(h, s, "v", s->v, process));
	hb_array k = {
		.name = "k", .at = s->k, .type = HB_REAL8, .rank = 1, .global = {8}, .replicated = 1, .base = {1}};
	w_module(w, 1, "/bin/true");
	w_place(w, 1, 1, 0x100);
	w_place(w, 2, 1, 0x200);
	w_array(w, 1, &u, "/src/heat.c", h->line ? (uint32_t)h->line : 10, 0, 0);
	if (!h->without)
		w_array(w, 2, &v, "/src/heat.c", 11, 0, 0);
	w_array(w, 3, &k, "/src/heat.c", 12, 0, 0);
	w_variable(w, 1, "sum", 30, HB_REAL8);
	w_construct(w, 1, 0, HB_CONSTRUCT_SEQUENTIAL, 1, "time", "heat.c", 20);
	w_construct(w, 2, 1, HB_CONSTRUCT_PARALLEL, 1, "sweep", "heat.c", 22);
	w_construct(w, 3, 1, HB_CONSTRUCT_PARALLEL, 1, "copy", "heat.c", 26);
	w_construct(w, 4, 1, HB_CONSTRUCT_PARALLEL, 1, "swoop", "heat.c", 24);
	w_construct(w, 5, 0, HB_CONSTRUCT_POINT, 0, "end", "heat.c", 40);
	w_point(w, false, 1, "");
}

/* u as a process sees it: its neighbour's row may be an old one. */
static inline double heat_seen(const struct heat *h, const struct heat_state *s, int t, int process, int i, int j)
{
	bool stale = t + 1 == h->no_halo && process == 1 && i < heat_first(h, s->n, 1);
	return (stale ? s->before : s->u)[i * HEAT_M + j];
}

static inline void heat_read(
	struct writer *w, const struct heat *h, const struct heat_state *s, int t, int process, int i, int j)
{
	double value = heat_seen(h, s, t, process, i, j);
	int lo = heat_first(h, s->n, process);
	w_access(w, HB_TRACE_READ, 1, 1, (uint64_t)((i - lo + 1) * HEAT_M + j), &value, sizeof value);
}

/* The loop of one process. */
static inline void heat_sweep(struct writer *w, const struct heat *h, struct heat_state *s, int t, int process)
{
	int lo = heat_first(h, s->n, process), hi = heat_first(h, s->n, process + 1);
	bool full = t + 1 == h->full;
	for (int i = lo; i < hi; i++)
		for (int j = 0; j < HEAT_M; j++) {
			double *to = &s->v[i * HEAT_M + j];
			bool border = !i || !j || i == s->n - 1 || j == HEAT_M - 1;
			const int64_t index[] = {i, j};
			if (full)
				w_iteration(w, 2, index);
			if (border) {
				*to = s->u[i * HEAT_M + j];
				continue;
			}
			if (full) {
				heat_read(w, h, s, t, process, i - 1, j);
				heat_read(w, h, s, t, process, i + 1, j);
			}
			*to = s->k[0] * (heat_seen(h, s, t, process, i - 1, j) + s->u[(i + 1) * HEAT_M + j] +
						s->u[i * HEAT_M + j - 1] + s->u[i * HEAT_M + j + 1]);
			*to += *to * h->noise * ((i * 7 + j * 13 + t) % 5 - 2);
			if (full)
				w_access(
					w, HB_TRACE_AFTER, 2, 2, (uint64_t)((i - lo + 1) * HEAT_M + j), to, sizeof *to);
		}
}

static inline double heat_sum(const struct heat *h, const struct heat_state *s)
{
	double sum = 0;
	size_t n = (size_t)s->n * HEAT_M;
	for (size_t i = 0; i < n; i++)
		sum += s->u[h->reverse ? n - 1 - i : i];
	return sum;
}

static inline void heat_point(struct writer *w, bool end, uint64_t construct, int number)
{
	char text[32];
	snprintf(text, sizeof text, "%d.%c", number, end ? 'E' : 'B');
	w_point(w, end, construct, text);
}

static inline void heat_step(struct writer *w, const struct heat *h, struct heat_state *s, int t)
{
	uint64_t loop = t + 1 == h->other_loop ? 4 : 2;
	for (int p = 0; p < h->processes; p++) {
		const int64_t time = t;
		w_iteration(&w[p], 1, &time);
		heat_point(&w[p], false, loop, 2 * t + 1);
		heat_sweep(&w[p], h, s, t, p);
	}
	for (int p = 0; p < h->processes; p++) {
		hb_array v = heat_rows(h, s, "v", s->v, p),
			 k = {.at = s->k, .type = HB_REAL8, .rank = 1, .global = {8}};
		double was = s->k[7];
		if (t + 1 == h->copy_differs && p == h->processes - 1)
			s->k[7] = -1;
		if (t + 1 == h->failed)
			w_failed(&w[p], 2, HB_CHECKSUM_GONE);
		else if (!h->without)
			w_checked(&w[p], 2, HB_ACCESS_WRITE, &v);
		w_checked(&w[p], 3, HB_ACCESS_READ, &k);
		s->k[7] = was;
		heat_point(&w[p], true, loop, 2 * t + 1);
		heat_point(&w[p], false, 3, 2 * t + 2);
	}
	memcpy(s->before, s->u, (size_t)s->n * HEAT_M * sizeof *s->u);
	memcpy(s->u, s->v, (size_t)s->n * HEAT_M * sizeof *s->u);
	if (t + 1 == h->swap) {
		double x = s->u[5 * HEAT_M + 5];
		s->u[5 * HEAT_M + 5] = s->u[5 * HEAT_M + 6];
		s->u[5 * HEAT_M + 6] = x;
	}
	double sum = heat_sum(h, s) + (t + 1 == h->sum_wrong ? 1 : 0);
	for (int p = 0; p < h->processes; p++) {
		hb_array u = heat_rows(h, s, "u", s->u, p);
		w_result(&w[p], 1, &sum, sizeof sum);
		w_checked(&w[p], 1, HB_ACCESS_WRITE | HB_ACCESS_READ, &u);
		heat_point(&w[p], true, 3, 2 * t + 2);
		w_block(&w[p]);
	}
}

/* Writes FOLDER/rank.N.trace. Returns the values of u; free them. */
static inline double *heat_run(const struct heat *given, const char *folder)
{
	struct heat whole = *given, *h = &whole;
	h->processes = h->processes ? h->processes : 1;
	h->steps = h->steps ? h->steps : 6;
	struct writer w[16];
	struct heat_state s = {.n = h->n ? h->n : HEAT_N};
	size_t n = (size_t)s.n * HEAT_M;
	char path[600];
	s.u = calloc(n, sizeof *s.u);
	s.v = calloc(n, sizeof *s.v);
	s.before = calloc(n, sizeof *s.before);
	for (int i = 0; i < 8; i++)
		s.k[i] = i ? i : 0.2499;
	for (size_t i = 0; i < n; i++)
		s.u[i] = sin((double)i) + 2;
	for (int p = 0; p < h->processes; p++) {
		w_open(&w[p], p, h->processes);
		heat_define(&w[p], h, &s, p);
	}
	for (int t = 0; t < h->steps; t++)
		if (t + 1 == h->dies) {
			struct heat rest = *h;
			w_block(&w[h->processes - 1]);
			snprintf(path, sizeof path, "%s/rank.%d.trace", folder, h->processes - 1);
			w_save_part(&w[h->processes - 1], path, w[h->processes - 1].n);
			rest.dies = 0;
			heat_step(w, &rest, &s, t);
		} else
			heat_step(w, h, &s, t);
	for (int p = 0; p < h->processes; p++) {
		w_point(&w[p], true, 1, "");
		heat_point(&w[p], false, 5, 2 * h->steps + 1);
		heat_point(&w[p], true, 5, 2 * h->steps + 1);
		w_over(&w[p]);
		snprintf(path, sizeof path, "%s/rank.%d.trace", folder, p);
		w_close(&w[p], h->dies && p == h->processes - 1 ? NULL : path);
	}
	free(s.v);
	free(s.before);
	return s.u;
}

#endif
