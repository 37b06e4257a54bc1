/* processes: 3
 * expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: all processes have to describe the same graph (MPI 4.0, 8.5.3) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int index[3] = {1, 3, 4}, line[4] = {1, 0, 2, 1}, other[4] = {2, 0, 2, 1};
	MPI_Comm graph;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Graph_create(MPI_COMM_WORLD, 3, index, rank == 2 ? other : line, 0, &graph);
	MPI_Comm_free(&graph);
	MPI_Finalize();
	return 0;
}
