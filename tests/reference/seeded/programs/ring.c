/* Bodies that attract each other: each process has some; those of the others come round a ring. All masses and, after each step,
 * all positions are everybody's; each body's nearest one is looked up in them. */
#include "seeded.h"

enum { SPACE = 3 };
static int n, steps = 3;
static struct part mine;
static double *x, *v, *f, *mass, *all;
static int *near;

static void *registered(const char *name, hb_element type, int columns, bool replicated)
{
	int count = replicated ? n : mine.count;
	void *a = zeros((size_t)count * columns, type == HB_REAL8 ? sizeof(double) : sizeof(int));
	HB_ARRAY(.name = name, .at = a, .type = type, .rank = 2, .global = {n, columns},
		.first = {replicated ? 0 : mine.first, 0}, .count = {count, columns}, .replicated = replicated);
	return a;
}

static void set(void)
{
	hb_loop("set");
	for (int i = 0; i < mine.count; i++) {
		int ii = i + mine.first;
		hb_iteration(ii);
		for (int d = 0; d < SPACE; d++)
			x[SPACE * i + d] = cos(0.7 * ii + 2 * d) + 0.3 * ((ii * (d + 3)) % 17);
	}
	hb_loop_end("set");
	for (int i = 0; i < n; i++)
		mass[i] = rank == 0 ? 1 + 0.1 * (i % 5) : 1;
	hb_loop("masses");
	// ring.root:
	MPI_Bcast(mass, n, MPI_DOUBLE, mistake("wrong-root") ? size - 1 : 0, MPI_COMM_WORLD);
	hb_loop_end("masses");
}

/* What the bodies of another process, or of this one, do to those of this one. */
static void attract(const double *theirs, struct part which)
{
	for (int i = 0; i < mine.count; i++)
		for (int j = 0; j < which.count; j++) {
			double r[SPACE], square = 0.05;
			if (mistake("self") ? i == j : i + mine.first == j + which.first)
				continue;
			for (int d = 0; d < SPACE; d++) {
				r[d] = theirs[SPACE * j + d] - x[SPACE * i + d];
				square += r[d] * r[d];
			}
			for (int d = 0; d < SPACE; d++)
				// ring.force:
				f[SPACE * i + d] += mass[which.first + j] * r[d] / (square * sqrt(square));
		}
}

static void round_ring(double *here, double *next, int room)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size;
	if (mistake("single-precision"))
		for (int i = 0; i < room; i++)
			here[i] = (float)here[i];
	MPI_Sendrecv(here, room, MPI_DOUBLE, to, 1, next, room, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void set_forces(void)
{
	int room = SPACE * (n / size + 1), turns = mistake("ring-short") ? size - 1 : size;
	double *here = zeros(room, sizeof *here), *next = zeros(room, sizeof *next);
	memcpy(here, x, (size_t)mine.count * SPACE * sizeof *x);
	hb_loop("forces");
	memset(f, 0, (size_t)mine.count * SPACE * sizeof *f);
	for (int turn = 0; turn < turns; turn++) {
		attract(here, part_of(n, size, (rank + size - turn) % size));
		round_ring(here, next, room);
		double *kept = here;
		here = next;
		next = kept;
	}
	hb_loop_end("forces");
	free(here);
	free(next);
}

static void move(void)
{
	hb_loop("move");
	for (int i = 0; i < SPACE * mine.count; i++) {
		v[i] += 0.01 * f[i];
		x[i] += 0.01 * v[i];
	}
	hb_loop_end("move");
}

static void gather(const double *from)
{
	int *counts = zeros(size, sizeof *counts), *places = zeros(size, sizeof *places);
	for (int p = 0; p < size; p++) {
		counts[p] = SPACE * part_of(n, size, p).count;
		places[p] = SPACE * part_of(n, size, p).first;
	}
	hb_loop("gather");
	// ring.gather:
	MPI_Allgatherv(from, counts[rank], MPI_DOUBLE, all, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
	if (mistake("copy-differs") && rank == size - 1)
		// ring.copy:
		all[places[rank]] += 1e-3;
	hb_loop_end("gather");
	free(counts);
	free(places);
}

static void look_up(void)
{
	hb_loop("nearest");
	for (int i = 0; i < mine.count; i++) {
		double least = 1e300;
		for (int j = 0; j < n; j++) {
			double square = 0;
			for (int d = 0; d < SPACE; d++)
				square += pow(all[SPACE * j + d] - x[SPACE * i + d], 2);
			if (square < least && j != i + mine.first) {
				least = square;
				// ring.nearest:
				near[i] = mistake("border") && j < mine.first ? mine.first : j;
			}
		}
	}
	hb_loop_end("nearest");
}

int main(int argc, char **argv)
{
	n = start(&argc, &argv, 150);
	mine = part_of(n, size, rank);
	x = registered("x", HB_REAL8, SPACE, false);
	v = registered("v", HB_REAL8, SPACE, false);
	f = registered("f", HB_REAL8, SPACE, false);
	mass = registered("mass", HB_REAL8, 1, true);
	all = registered("all", HB_REAL8, SPACE, true);
	near = registered("near", HB_INTEGER4, 1, false);
	double *before = zeros((size_t)SPACE * mine.count, sizeof *before);
	set();
	hb_steps("time");
	for (int step = 1; step <= steps; step++) {
		hb_iteration(step);
		set_forces();
		memcpy(before, x, SPACE * mine.count * sizeof *x);
		move();
		gather(mistake("stale") && step == 2 ? before : x);
		look_up();
	}
	hb_steps_end("time");
	double sum = 0;
	for (int i = 0; i < SPACE * mine.count; i++)
		sum += x[i] * x[i] + near[i / SPACE];
	finish(sqrt(sum_of_all(sum)));
	return 0;
}
