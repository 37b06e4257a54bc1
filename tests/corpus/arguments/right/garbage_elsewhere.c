/*
 * processes: 2
 * why: arguments that count at the root only are garbage elsewhere
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, x, all[2];
	MPI_Datatype junk;
	MPI_Op opjunk;
	memset(&junk, 0x5a, sizeof junk);
	memset(&opjunk, 0x5a, sizeof opjunk);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	x = rank;
	void *nowhere = (void *)0x77;
	if (!rank) {
		MPI_Gather(&x, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Gatherv(&x, 1, MPI_INT, all, (int[]){1, 1}, (int[]){0, 1}, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Scatter(all, 1, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Scatterv(all, (int[]){1, 1}, (int[]){0, 1}, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Reduce(&x, all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	} else {
		MPI_Gather(&x, 1, MPI_INT, nowhere, -7, junk, 0, MPI_COMM_WORLD);
		MPI_Gatherv(&x, 1, MPI_INT, nowhere, nowhere, nowhere, junk, 0, MPI_COMM_WORLD);
		MPI_Scatter(nowhere, -7, junk, &x, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Scatterv(nowhere, nowhere, nowhere, junk, &x, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Reduce(&x, nowhere, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	}
	printf("%d\n", x == rank);
	MPI_Finalize();
	return 0;
}
