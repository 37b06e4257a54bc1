/* One of each finding of dynamic control, and what looks like one and is none. -DRIGHT: without the wrong lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/compare.h>

#ifdef RIGHT
#define WRONG(statement) ((void)0)
#else
#define WRONG(statement) statement
#endif
enum { N = 8 };
static double total, other, lookup[N] = {1, 2, 3};
static double *u, *f, *w, *g;

static void exchange(void)
{
	for (int i = 0; i < N + 2; i += N + 1)
		u[i] = 7 + i; /* outside of parallel loops: what came from a neighbour is put where it belongs */
}

static void sweep(void)
{
	hb_loop("sweep");
	for (int i = 1; i <= N; i++) {
		hb_iteration(i);
		f[i - 1] = u[i - 1] + u[i + 1] + lookup[1]; /* @neighbours */
		if (i == 3)
			WRONG(f[i - 1] += f[i - 2]); /* @dependence */
		if (i == 4)
			WRONG(lookup[2] = 3); /* @constant */
		if (i == 5)
			WRONG(u[N + 1] = 2); /* @shadow */
	}
	hb_loop_end("sweep");
	hb_loop("update");
	for (int i = 1; i <= N; i++) {
		hb_iteration(i);
		u[i] = f[i - 1];
	}
	hb_loop_end("update");
}

static void sum(void)
{
	hb_loop("sum");
	hb_reduce("total", HB_SUM, HB_REAL8, &total);
	for (int i = 0; i < N; i++) {
		hb_iteration(i);
		total += f[i];
		if (i == 2)
			WRONG(other = total); /* @early */
		g[i] = f[i];
	}
	hb_loop_end("sum");
	hb_reduced(&total);
	other = total;
}

int main(void)
{
	u = malloc((N + 2) * sizeof *u);
	f = malloc(N * sizeof *f);
	g = malloc(N * sizeof *g);
	w = malloc(N * sizeof *w);
	HB_ARRAY(.name = "u", .at = u, .type = HB_REAL8, .rank = 1, .global = {3 * N}, .first = {N}, .count = {N},
		.below = {1}, .above = {1});
	HB_ARRAY(.name = "f", .at = f, .type = HB_REAL8, .rank = 1, .global = {N});
	HB_ARRAY(.name = "lookup", .at = lookup, .type = HB_REAL8, .rank = 1, .global = {N}, .read_only = 1);
	hb_loop("init");
	for (int i = 1; i <= N; i++) {
		hb_iteration(i);
		u[i] = i;
	}
	hb_loop_end("init");
	exchange();
	sweep();             /* all right */
	WRONG(other = u[0]); /* @remote */
#ifdef RIGHT
	exchange();
	sweep();
	u[0] = 100; /* as if MPI had written it: */
	memcpy(&u[N + 1], &u[0], sizeof *u);
	hb_exchanged(u);
#endif
	sweep(); /* @again: stale */
	sum();
	memset(w, 0, 2 * sizeof *w);
	hb_loop("last");
	hb_iteration(0);
	other = w[1];
	WRONG(other += w[2]); /* @unwritten */
	WRONG(other += f[N]); /* @beyond */
	hb_loop_end("last");
	printf("%g %g %g\n", total, other, g[1]);
	return 0;
}
