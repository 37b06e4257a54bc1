/* expect: HB-HANDLE-FREED|HB-ARG-TYPE
 * also: HB-CRASH HB-CALL-FAILED HB-FINALIZE-MISSING HB-HANDLE-FREED HB-ARG-TYPE HB-DEADLOCK-ORPHAN
 * why: a copy of the handle is used after the datatype is freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[4] = {0};
	MPI_Datatype type, copy;
	MPI_Type_vector(2, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	copy = type;
	MPI_Type_free(&type);
	if (rank == 0)
		MPI_Send(values, 1, copy, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(values, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
