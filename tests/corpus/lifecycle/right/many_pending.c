/*
 * processes: 2
 * why: thousands of requests pending at once, in any order of address, moved to another array, all alike to the library
 */
#include <mpi.h>
#include <stdio.h>

#define N 3000

int main(int argc, char **argv)
{
	static int in[N], out[N];
	static MPI_Request all[2 * N];
	int rank;
	long sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < N; i++) {
		MPI_Request r;
		MPI_Irecv(&in[i * 7919L % N], 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r);
		all[i] = r;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < N; i++) {
		MPI_Request r;
		out[i] = i;
		MPI_Isend(&out[i], 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r);
		all[2 * N - 1 - i] = r;
	}
	MPI_Waitall(2 * N, all, MPI_STATUSES_IGNORE);
	for (int i = 0; i < N; i++) {
		sum += in[i];
		in[i] = out[i] = 0;
	}
	printf("%ld\n", sum);
	MPI_Finalize();
	return 0;
}
