/* expect: HB-ARG-UNCOMMITTED
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: a datatype must be committed before it is used for communication (MPI 4.0, 5.1.9) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[4] = {0};
	MPI_Datatype type;
	MPI_Type_vector(2, 1, 2, MPI_INT, &type);
	if (rank == 0)
		MPI_Send(values, 1, type, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(values, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
