/* expect: HB-ARG-UNCOMMITTED
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-DATATYPE
 * why: the receiver forgot to commit its datatype */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value[2] = {0};
	MPI_Datatype type;
	MPI_Type_vector(1, 2, 2, MPI_INT, &type);
	if (rank == 0)
		MPI_Send(value, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(value, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
