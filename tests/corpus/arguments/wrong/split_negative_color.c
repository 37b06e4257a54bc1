/* expect: HB-ARG-VALUE|HB-CALL-FAILED
 * also: HB-ARG-VALUE HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-COMM
 * why: a colour is not negative, but for MPI_UNDEFINED (MPI 4.0, 7.4.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm part;
	MPI_Comm_split(MPI_COMM_WORLD, -3, rank, &part);
	MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
