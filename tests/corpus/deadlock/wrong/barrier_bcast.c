/* processes: 2
   expect: HB-DEADLOCK-CYCLE|HB-DEADLOCK-ORPHAN|HB-COLLECTIVE-CALL
   also: HB-COLLECTIVE-CALL HB-COLLECTIVE-MISSING HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-MESSAGE-TRUNCATED HB-CALL-FAILED
   why: a barrier on one, a broadcast from the others on the other side */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Bcast(&x, 1, MPI_INT, 1, MPI_COMM_WORLD);
	} else {
		MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return size < 1;
}
