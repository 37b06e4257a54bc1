/* What the benchmark programs share: a clock, percentiles, and the lines
 * that bench/run reads: `bench: NAME VALUE UNIT` and `check: NAME VALUE`. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void report(const char *name, double value, const char *unit)
{
	printf("bench: %s %.9g %s\n", name, value, unit);
	fflush(stdout);
}

/* A result that must be the same with and without hbdb. */
static inline void report_check(const char *name, unsigned long long value)
{
	printf("check: %s %llu\n", name, value);
	fflush(stdout);
}

/* The last thing before MPI_Finalize: bench/run counts from here what the
 * launcher, and under `hbdb record` the sealing, still took. */
static inline void report_end(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	printf("bench: end %lld.%09ld s\n", (long long)t.tv_sec, t.tv_nsec);
	fflush(stdout);
}

static inline int bench__ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts the n samples and reports p5, p10 and p50 as NAME.p5 and so on. */
static inline void report_percentiles(const char *name, double *samples, int n, const char *unit)
{
	static const int percents[] = {5, 10, 50};
	qsort(samples, (size_t)n, sizeof *samples, bench__ascending);
	for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
		char full[96];
		snprintf(full, sizeof full, "%s.p%d", name, percents[i]);
		report(full, samples[(long)(n - 1) * percents[i] / 100], unit);
	}
}

static inline long argument(int argc, char **argv, int i, long otherwise)
{
	return i < argc ? strtol(argv[i], NULL, 0) : otherwise;
}

/* splitmix64: the only source of "randomness" here, the same everywhere. */
static inline uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

#endif
