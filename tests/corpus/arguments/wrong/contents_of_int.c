/* expect: HB-ARG-TYPE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: a predefined datatype has no contents */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int integers[4];
	MPI_Aint addresses[4];
	MPI_Datatype types[4];
	MPI_Type_get_contents(MPI_INT, 4, 4, 4, integers, addresses, types);
	MPI_Finalize();
	return 0;
}
