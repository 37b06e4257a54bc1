/* Marks of all kinds, on any number of processes, or without MPI (-DALONE): what the trace of each process has to say is known. */
#include <stdio.h>
#include <stdlib.h>

#include <hbdb/compare.h>

#ifndef ALONE
#include <mpi.h>
#endif

enum { N = 48 };

int main(int argc, char **argv)
{
	int rank = 0, size = 1;
#ifndef ALONE
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
	int steps = argc > 1 ? atoi(argv[1]) : 3, rows = N / size, lo = rank * rows;
	double *u = calloc((size_t)(rows + 2) * N, sizeof *u);
	double total = 0;
	HB_ARRAY(.name = "u", .at = u, .type = HB_REAL8, .rank = 2, .global = {N, N}, .first = {lo, 0},
		.count = {rows, N}, .below = {1}, .above = {1});
	hb_steps("time");
	for (int t = 0; t < steps; t++) {
		hb_iteration(t);
		hb_loop("sweep");
		for (int i = 0; i < rows; i++) {
			hb_iteration(lo + i);
			for (int j = 0; j < N; j++)
				u[(i + 1) * N + j] += (lo + i) * N + j;
		}
		hb_loop_end("sweep");
		hb_region("tasks");
		for (int task = 0; task < 4; task++) {
			if (task % size != rank)
				continue;
			hb_task(task);
			for (int k = 0; k < 2; k++) {
				hb_loop("part");
				hb_iteration(k);
				hb_loop_end("part");
			}
		}
		hb_region_end("tasks");
		hb_point("between");
	}
	hb_steps_end("time");
	hb_loop("sum");
	hb_reduce("total", HB_SUM, HB_REAL8, &total);
	for (int i = 0; i < rows * N; i++)
		total += u[N + i];
	hb_loop_end("sum");
#ifndef ALONE
	MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
	hb_reduced(&total);
	hb_array_gone(u);
	free(u);
	if (!rank)
		printf("%g\n", total);
#ifndef ALONE
	MPI_Finalize();
#endif
	return 0;
}
