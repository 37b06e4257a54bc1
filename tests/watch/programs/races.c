/* Four races of OpenMP's threads, and seven things that are none. -DRIGHT: without the races. */
#include <omp.h>
#include <stdio.h>

enum { N = 64 };
double a[N], b[N], total, wrong, counted, locked, ordered[N], once;

static void right(void)
{
	double s = 0;
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel for reduction(+ : s)
	for (int i = 0; i < N; i++) {
		a[i] = i;
		s += i;
	}
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			b[i] = a[i];
#pragma omp for schedule(dynamic, 2)
		for (int i = 0; i < N; i++)
			a[i] = b[N - 1 - i];
#pragma omp critical
		total += 1;
#pragma omp atomic
		counted += 1;
		omp_set_lock(&lock);
		locked += 1;
		omp_unset_lock(&lock);
#pragma omp single
		once = a[1];
#pragma omp barrier
		ordered[omp_get_thread_num()] = once;
	}
	omp_destroy_lock(&lock);
	printf("%g %g %g %g %g\n", s, total, counted, locked, once);
}

#ifndef RIGHT
static void races(void)
{
#pragma omp parallel for
	for (int i = 1; i < N; i++)
		a[i] = a[i - 1] + 1; /* @chain */
#pragma omp parallel for schedule(dynamic, 1)
	for (int i = 0; i < N; i++)
		b[i / 2] += a[i];   /* @pairs */
#pragma omp parallel for            /* @head */
	for (int i = 0; i < N; i++) /* @loop */
		wrong += a[i];      /* @shared */
#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < N; i++)
			b[i] = i; /* @early */
#pragma omp for
		for (int i = 0; i < N; i++)
			a[i] = b[N - 1 - i]; /* @late */
	}
}
#endif

int main(void)
{
	right();
#ifndef RIGHT
	races();
#endif
	return 0;
}
