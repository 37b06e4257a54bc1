/* Each access is known: registered, static and allocated arrays of all types, of all ways of allocating. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/compare.h>

enum { N = 6 };
static double grid[N]; /* @grid */
int flags[N];          /* @flags */
static double v[N];
double large[100000]; /* @large: of pages that are no part of the file */
static struct {
	double *p;
	int n;
} box; /* no numbers alone: not an array */

/* A function that allocates for others. */
static __attribute__((noinline)) void *need(size_t n)
{
	void *p = malloc(n);
	if (!p)
		abort();
	return p;
}

int main(void)
{
	double *u = calloc(N, sizeof *u); /* @u */
	float *raw;
	float _Complex *z = malloc(8 * sizeof *z);               /* @z */
	if (posix_memalign((void **)&raw, 64, 16 * sizeof *raw)) /* @raw */
		return 1;
	int64_t *k = aligned_alloc(64, 64);  /* @k */
	box.p = malloc(8 * sizeof *box.p);   /* @box */
	int *lent = need(16 * sizeof *lent); /* @lent */
	double **rows = malloc(4 * sizeof *rows);
	for (int i = 0; i < 3; i++)
		rows[i] = malloc(8 * sizeof **rows); /* @rows */
	unsigned char *bytes = realloc(NULL, 64);    /* @bytes */
	__asm__ volatile(""
			 :
			 : "r"(u), "r"(raw), "r"(z), "r"(k), "r"(bytes)
			 : "memory"); /* somebody else may look at them */
	__asm__ volatile("" : : "r"(box.p), "r"(v) : "memory");
	memset(bytes, 1, 64);
	HB_ARRAY(.name = "v", .at = v, .type = HB_REAL8, .rank = 1, .global = {N});
	__asm__ volatile("" : : "r"(lent), "r"(rows) : "memory");
	hb_loop("all");
	for (volatile int i = 1; i < 3; i++) {
		hb_iteration(i);
		u[i] = 10 * i;         /* @store */
		grid[i] = u[i] + v[i]; /* @sum */
		flags[i]++;            /* @add */
		raw[i] = 0.5f;
		z[i] = 2;
		k[i] = -i;
		box.p[i] = i;
		bytes[i] = 7;
		lent[i] = i;
		large[99990 + i] = i;
		rows[1][i] = i; /* the second of three */
	}
	memcpy(v + 1, u + 1, 2 * sizeof *v); /* @copy */
	hb_loop_end("all");
	__asm__ volatile("" : : : "memory");
	printf("%g %g %d %g %g %d %g %d\n", v[1], grid[2], flags[2], (double)raw[1], (double)*(float *)&z[2], (int)k[2],
		box.p[1], bytes[2]);
	free(u);
	return 0;
}
