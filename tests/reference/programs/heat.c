/* Heat in a plate on any number of processes: rows are distributed, each process has a row of its neighbours on both sides.
 * usage: heat [-n ROWS] [-t STEPS] [-h STEP: the exchange of the halo is left out] [-w: v has no name] [-f FACTOR: another computation] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hbdb/compare.h>

enum { M = 48 };

static int rank, size, n = 64, steps = 8, no_halo = -1, nameless;
static double factor = 0.25;

static void exchange(double (*u)[M], int rows)
{
	int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	MPI_Sendrecv(
		u[1], M, MPI_DOUBLE, up, 1, u[rows + 1], M, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(u[rows], M, MPI_DOUBLE, down, 2, u[0], M, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sweep(double (*u)[M], double (*v)[M], int lo, int rows)
{
	hb_loop("sweep");
	for (int i = 1; i <= rows; i++) {
		hb_iteration(lo + i - 1);
		for (int j = 0; j < M; j++) {
			int g = lo + i - 1;
			if (g == 0 || g == n - 1 || j == 0 || j == M - 1)
				v[i][j] = u[i][j];
			else
				v[i][j] = factor * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
		}
	}
	hb_loop_end("sweep");
}

static double copy(double (*u)[M], double (*v)[M], int lo, int rows)
{
	double sum = 0, all = 0;
	hb_loop("copy");
	hb_reduce("norm", HB_SUM, HB_REAL8, &all);
	for (int i = 1; i <= rows; i++) {
		hb_iteration(lo + i - 1);
		for (int j = 0; j < M; j++) {
			u[i][j] = v[i][j];
			sum += u[i][j] * u[i][j];
		}
	}
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	hb_loop_end("copy");
	hb_reduced(&all);
	return sqrt(all);
}

static void options(int argc, char **argv)
{
	for (int o; (o = getopt(argc, argv, "n:t:h:f:w")) >= 0;)
		switch (o) {
		case 'n':
			n = atoi(optarg);
			break;
		case 't':
			steps = atoi(optarg);
			break;
		case 'h':
			no_halo = atoi(optarg);
			break;
		case 'f':
			factor = atof(optarg);
			break;
		default:
			nameless = 1;
		}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	options(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int lo = n * rank / size, rows = n * (rank + 1) / size - lo;
	double(*u)[M] = calloc((size_t)rows + 2, sizeof *u), (*v)[M] = calloc((size_t)rows + 2, sizeof *v), norm = 0;
	HB_ARRAY(.name = "u", .at = u, .type = HB_REAL8, .rank = 2, .global = {n, M}, .first = {lo, 0},
		.count = {rows, M}, .below = {1}, .above = {1});
	if (!nameless)
		HB_ARRAY(.name = "v", .at = v, .type = HB_REAL8, .rank = 2, .global = {n, M}, .first = {lo, 0},
			.count = {rows, M}, .below = {1}, .above = {1});
	for (int i = 1; i <= rows; i++)
		for (int j = 0; j < M; j++)
			u[i][j] = sin(lo + i) + cos(3.0 * j) + 2;
	exchange(u, rows);
	hb_steps("time");
	for (int t = 0; t < steps; t++) {
		hb_iteration(t);
		sweep(u, v, lo, rows);
		norm = copy(u, v, lo, rows);
		if (t != no_halo)
			exchange(u, rows);
	}
	hb_steps_end("time");
	if (!rank)
		printf("norm %.3f\n", norm);
	free(u);
	free(v);
	MPI_Finalize();
	return 0;
}
