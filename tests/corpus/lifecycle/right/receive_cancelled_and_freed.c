/*
 * processes: 2
 * why: a receive that was cancelled is completed by freeing it, by a test, by waiting
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int x, y, z, flag, cancelled;
	MPI_Request r[3], again;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 78, MPI_COMM_WORLD, &r[1]);
	MPI_Recv_init(&z, 1, MPI_INT, MPI_ANY_SOURCE, 80, MPI_COMM_SELF, &again);
	for (int i = 0; i < 2; i++)
		MPI_Cancel(&r[i]);
	MPI_Request_free(&r[0]);
	do
		MPI_Test(&r[1], &flag, &st);
	while (!flag);
	MPI_Start(&again);
	MPI_Cancel(&again);
	MPI_Wait(&again, &st);
	MPI_Test_cancelled(&st, &cancelled);
	MPI_Request_free(&again);
	printf("%d\n", cancelled);
	MPI_Finalize();
	return 0;
}
