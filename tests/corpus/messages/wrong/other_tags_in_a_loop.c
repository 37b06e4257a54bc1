/* expect: HB-MESSAGE-LOST
 * says: and no such message is ever sent
 * why: eight messages have other tags than the eight receives: each pair is one mistake, told once */
#include <mpi.h>

int main(int argc, char **argv)
{
	enum { N = 8 };
	int rank;
	int value[N] = {0};
	MPI_Request request[N];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < N; i++)
		if (rank == 0)
			MPI_Send(&value[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD);
		else
			MPI_Irecv(&value[i], 1, MPI_INT, 0, 100 + i, MPI_COMM_WORLD, &request[i]);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
