/* expect: HB-ARG-OP
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: predefined operations do not work on derived types (MPI 4.0, 6.9.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int values[2] = {1, 2}, sums[2];
	MPI_Datatype pair;
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Allreduce(values, sums, 1, pair, MPI_SUM, MPI_COMM_WORLD);
	MPI_Type_free(&pair);
	MPI_Finalize();
	return 0;
}
