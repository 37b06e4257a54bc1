/* processes: 2
 * expect: HB-HANDLE-FREED
 * also: HB-CALL-FAILED HB-ARG-TYPE
 * why: a copy of the handle is used after the datatype was freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Datatype t, copy;
	int size;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Type_contiguous(2, MPI_INT, &t);
	copy = t;
	MPI_Type_free(&t);
	MPI_Type_size(copy, &size);
	MPI_Finalize();
	return 0;
}
