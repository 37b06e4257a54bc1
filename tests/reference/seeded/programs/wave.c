/* Waves on a square: rows over processes, and over threads by OpenMP, whose parallel regions need no marks. Three buffers by turns. */
#include <omp.h>

#include "seeded.h"

enum { STEPS = 6 };
static int n;
static struct part rows;
static double *w[3], *speed, energy[STEPS];

static size_t at(int j, int i) { return (size_t)j * (n + 2) + i; }

static void exchange(double *a)
{
	int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	MPI_Sendrecv(&a[at(rows.count, 1)], n, MPI_DOUBLE, up, 1, &a[at(0, 1)], n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	MPI_Sendrecv(&a[at(1, 1)], n, MPI_DOUBLE, down, 2, &a[at(rows.count + 1, 1)], n, MPI_DOUBLE, up, 2,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	hb_exchanged(a);
}

static void set(void)
{
	int over = mistake("coefficient") ? rows.count : n;
#pragma omp parallel for
	for (int j = 1; j <= rows.count; j++)
		for (int i = 1; i <= n; i++) {
			int jj = j + rows.first - 1;
			w[0][at(j, i)] = w[1][at(j, i)] = exp(-0.01 * (pow(jj - n / 3.0, 2) + pow(i - n / 2.0, 2)));
			// wave.speed:
			speed[at(j, i)] = 0.2 + 0.05 * jj / over;
		}
}

static void advance_row(int j, double damping, const double *old, const double *now, double *next)
{
	for (int i = 1; i <= n; i++) {
		// wave.spread:
		double spread = now[at(j - 1, i)] + now[at(j + 1, i)] + now[at(j, i - 1)] + now[at(j, i + 1)] -
				4 * now[at(j, i)];
		// wave.update:
		next[at(j, i)] = damping * (2 * now[at(j, i)] - old[at(j, i)]) + speed[at(j, i)] * spread;
	}
}

/* Each thread has rows of its own, all threads the same number, the last of which may be none. With the race the barriers make it show
 * always: between them all threads write what should be each one's own. */
static void advance(const double *old, const double *now, double *next)
{
	double shared = 0;
#pragma omp parallel
	{
		int threads = omp_get_num_threads();
		int each = mistake("chunk") ? rows.count / threads : (rows.count + threads - 1) / threads;
		int first = 1 + each * omp_get_thread_num();
		double own = 0, *damping = mistake("race") ? &shared : &own;
		for (int j = first; j < first + each; j++) {
			*damping = 1 - 1e-4 * ((j + rows.first) % 10);
			if (damping == &shared) {
#pragma omp barrier
			}
			if (j <= rows.count)
				advance_row(j, *damping, old, now, next);
			if (damping == &shared) {
#pragma omp barrier
			}
		}
	}
}

static double energy_of(const double *now, const double *old)
{
	double part[64] = {0}, sum = 0;
#pragma omp parallel for schedule(static)
	for (int j = 1; j <= rows.count; j++)
		for (int i = 1; i <= n; i++)
			part[omp_get_thread_num() % 64] += pow(now[at(j, i)] - old[at(j, i)], 2);
	for (int thread = 0; thread < (mistake("energy") ? 1 : 64); thread++)
		sum += part[thread];
	return sum_of_all(sum);
}

static void go(int step)
{
	double *old = w[(step + 1) % 3], *now = w[(step + 2) % 3], *next = w[step % 3];
	if (!(mistake("halo-missing") && step == 4))
		exchange(now);
	if (mistake("rotated") && step == 5 && rank == size - 1) {
		double *kept = old;
		old = now;
		now = kept;
	}
	advance(old, now, next);
	// wave.energy:
	energy[step - 2] = energy_of(next, w[(step + 2) % 3]);
	hb_point("energy");
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"w0", "w1", "w2"};
	n = start(&argc, &argv, 66);
	rows = part_of(n, size, rank);
	for (int i = 0; i < 4; i++) {
		double *a = zeros(at(rows.count + 2, 0), sizeof *a);
		*(i < 3 ? &w[i] : &speed) = a;
		HB_ARRAY(.name = i < 3 ? names[i] : "speed", .at = a, .type = HB_REAL8, .rank = 2, .global = {n, n},
			.first = {rows.first, 0}, .count = {rows.count, n}, .below = {1, 1}, .above = {1, 1});
	}
	HB_ARRAY(.name = "energy", .at = energy, .type = HB_REAL8, .rank = 1, .global = {STEPS}, .replicated = 1);
	set();
	hb_steps("time");
	for (int step = 2; step < STEPS + 2; step++) {
		hb_iteration(step);
		go(step);
	}
	hb_steps_end("time");
	finish(energy[STEPS - 1]);
	return 0;
}
