/* processes: 2
 * expect: HB-CALL-AFTER-FINALIZE
 * also: HB-LEAK-DATATYPE
 * why: the datatype is freed after MPI_Finalize */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Datatype t;
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Finalize();
	MPI_Type_free(&t);
	return 0;
}
