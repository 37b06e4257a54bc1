/* processes: 3
 * expect: HB-DEADLOCK-CYCLE
 * also: HB-COLLECTIVE-CALL
 * why: broadcasts of three pairs of processes, in a circle (MPI 4.0, 6.14) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Comm comm[3];
	for (int i = 0; i < 3; i++)
		MPI_Comm_split(MPI_COMM_WORLD, rank == i || rank == (i + 1) % 3 ? 0 : MPI_UNDEFINED, rank, &comm[i]);
	MPI_Barrier(comm[rank]);
	MPI_Barrier(comm[(rank + 2) % 3]);
	MPI_Comm_free(&comm[rank]);
	MPI_Comm_free(&comm[(rank + 2) % 3]);
	MPI_Finalize();
	return 0;
}
