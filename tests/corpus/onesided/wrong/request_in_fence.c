/* expect: HB-RMA-EPOCH-NONE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-HANG HB-DEADLOCK-ORPHAN HB-LEAK-WIN
 * why: accesses with a request are for epochs of locks only (MPI 4.0, 12.3.5) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, a = 1, *m;
	MPI_Win w;
	MPI_Request r;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
	MPI_Win_fence(0, w);
	if (rank == 0) {
		MPI_Rput(&a, 1, MPI_INT, 1, 0, 1, MPI_INT, w, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Win_fence(0, w);
	MPI_Win_free(&w);
	MPI_Finalize();
	return 0;
}
