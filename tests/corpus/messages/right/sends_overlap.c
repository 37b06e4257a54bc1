/*
 * processes: 2
 * why: a send's layout may name the same bytes several times, and several sends may share a buffer
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[16], z[8];
	MPI_Datatype twice;
	MPI_Request r[4];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_indexed(4, (int[]){2, 2, 2, 2}, (int[]){0, 1, 0, 6}, MPI_INT, &twice);
	MPI_Type_commit(&twice);
	MPI_Irecv(y, 8, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(z, 8, MPI_INT, !rank, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(x, 1, twice, !rank, 0, MPI_COMM_WORLD, &r[2]);
	MPI_Isend(x, 8, MPI_INT, !rank, 1, MPI_COMM_WORLD, &r[3]);
	int sum = x[0] + x[7]; /* reading is allowed */
	MPI_Allreduce(x, y + 8, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	MPI_Alltoallv(
		x, (int[]){4, 4}, (int[]){0, 0}, MPI_INT, y, (int[]){4, 4}, (int[]){0, 4}, MPI_INT, MPI_COMM_WORLD);
	MPI_Type_free(&twice);
	printf("%d %d %d\n", sum, y[3], z[7]);
	MPI_Finalize();
	return 0;
}
