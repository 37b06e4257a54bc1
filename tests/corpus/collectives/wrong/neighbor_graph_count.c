/* processes: 3
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: of a star with rank 0 in its middle rank 2 sends too much */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int index[3] = {2, 3, 4}, edges[4] = {1, 2, 0, 0}, values[4] = {0}, got[4];
	MPI_Comm star;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &star);
	MPI_Neighbor_allgather(values, rank == 2 ? 2 : 1, MPI_INT, got, 1, MPI_INT, star);
	MPI_Comm_free(&star);
	MPI_Finalize();
	return 0;
}
