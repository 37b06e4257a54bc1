/* expect: HB-DEADLOCK-CYCLE|HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-ORPHAN HB-COLLECTIVE-MISSING HB-DEADLOCK-CYCLE HB-COLLECTIVE-CALL
 * why: two communicators of the same processes, whose barriers they call in opposite orders */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm one, two;
	MPI_Comm_dup(MPI_COMM_WORLD, &one);
	MPI_Comm_dup(MPI_COMM_WORLD, &two);
	MPI_Barrier(rank == 0 ? one : two);
	MPI_Barrier(rank == 0 ? two : one);
	MPI_Comm_free(&one);
	MPI_Comm_free(&two);
	MPI_Finalize();
	return 0;
}
