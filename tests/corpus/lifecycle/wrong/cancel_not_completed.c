/* expect: HB-LEAK-REQUEST HB-FINALIZE-PENDING
 * says: rank 0 cancels the request of MPI_Irecv, but never completes it
 * says: it was started and cancelled (MPI_Cancel), but not completed
 * why: MPI_Cancel only asks for it: a cancelled request has to be completed all the same */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int a, b;
	MPI_Request once, again;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Irecv(&a, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &once);
		MPI_Recv_init(&b, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &again);
		MPI_Start(&again);
		MPI_Cancel(&once);
		MPI_Cancel(&again);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
