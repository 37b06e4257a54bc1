/* processes: 2
 * expect: HB-HANDLE-FREED
 * also: HB-CALL-FAILED HB-ARG-TYPE
 * why: the variable is MPI_DATATYPE_NULL at the second call */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Datatype t;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Type_free(&t);
	MPI_Type_free(&t);
	MPI_Finalize();
	return 0;
}
