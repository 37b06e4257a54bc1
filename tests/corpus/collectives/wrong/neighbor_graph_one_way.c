/* expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: the graph of a neighbourhood collective has to be symmetric: rank 1 has no neighbours (MPI 4.0, 8.6) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int index[2] = {1, 1}, edges[1] = {1}, values[2] = {0}, got[2];
	MPI_Comm line;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &line);
	MPI_Neighbor_allgather(values, 1, MPI_INT, got, 1, MPI_INT, line);
	MPI_Comm_free(&line);
	MPI_Finalize();
	return 0;
}
