/* expect: HB-MESSAGE-LOST|HB-CALL-FAILED
 * why: sent on another communicator than the others; MPICH 4.2 ends the job in MPI_Comm_free for the message left behind */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Comm dup;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 7, dup);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_free(&dup);
	MPI_Finalize();
	return 0;
}
