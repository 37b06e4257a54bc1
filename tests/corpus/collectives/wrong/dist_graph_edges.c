/* expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: rank 0 names rank 1 as a destination, rank 1 does not name it as a source (MPI 4.0, 8.5.4) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int other, none[1] = {0};
	MPI_Comm line;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, 0, none, MPI_UNWEIGHTED, rank == 0, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &line);
	MPI_Comm_free(&line);
	MPI_Finalize();
	return 0;
}
