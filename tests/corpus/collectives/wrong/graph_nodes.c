/* processes: 3
 * expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING HB-CALL-FAILED
 * why: the processes describe graphs of another size */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int index[3] = {1, 2, 2}, edges[2] = {1, 0};
	MPI_Comm graph;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Graph_create(MPI_COMM_WORLD, rank == 2 ? 3 : 2, index, edges, 0, &graph);
	if (graph != MPI_COMM_NULL)
		MPI_Comm_free(&graph);
	MPI_Finalize();
	return 0;
}
