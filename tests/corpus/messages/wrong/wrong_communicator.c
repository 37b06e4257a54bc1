/* expect: HB-MESSAGE-LOST
 * says: and no such message is ever sent
 * why: sent on the original, received on a duplicate (the other way round MPICH 4.2 ends the job in MPI_Comm_free) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Comm dup;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	else
		MPI_Irecv(&value, 1, MPI_INT, 0, 7, dup, &request);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_free(&dup);
	MPI_Finalize();
	return 0;
}
