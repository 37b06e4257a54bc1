/* expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: MPI_UNWEIGHTED at rank 0 only (MPI 4.0, 8.5.4) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int other, weight[1] = {3};
	MPI_Comm line;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	int *weights = rank == 0 ? MPI_UNWEIGHTED : weight;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, weights, 1, &other, weights, MPI_INFO_NULL, 0, &line);
	MPI_Comm_free(&line);
	MPI_Finalize();
	return 0;
}
