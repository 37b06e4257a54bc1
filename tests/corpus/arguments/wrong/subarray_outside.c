/* expect: HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-HANDLE-FREED HB-ARG-TYPE HB-LEAK-DATATYPE
 * why: a subarray that begins inside of the array and ends outside */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int sizes[2] = {4, 4}, subsizes[2] = {2, 2}, starts[2] = {1, 3};
	MPI_Datatype type;
	MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
