/* Threads inside of a parallel loop whose iterations the processes share; marks before MPI_Init; many iterations of several threads. */
#include <stdio.h>
#include <stdlib.h>

#include <hbdb/compare.h>
#include <mpi.h>
#include <omp.h>

enum { ROWS = 8, COLUMNS = 30000 };

int main(int argc, char **argv)
{
	static double a[ROWS][COLUMNS];
	int rank, size;
	hb_loop("before");
	hb_loop_end("before");
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++)
		a[i][0] = i;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	HB_ARRAY(.name = "a", .at = a, .type = HB_REAL8, .rank = 2, .global = {ROWS, COLUMNS}, .first = {0, 0},
		.replicated = 1);
	hb_loop("rows");
	for (int i = rank; i < ROWS; i += size) {
		hb_iteration(i);
#pragma omp parallel for schedule(static)
		for (int j = 0; j < COLUMNS; j++) {
			hb_iteration(j);
			a[i][j] += j;
		}
	}
	hb_loop_end("rows");
#pragma omp parallel
	for (int j = 0; omp_get_thread_num() && j < COLUMNS; j++)
		hb_iteration(j); /* more than a buffer holds, while the first thread says nothing */
	hb_point("last");
	MPI_Finalize();
	return 0;
}
