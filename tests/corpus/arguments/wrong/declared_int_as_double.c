/* processes: 2
 * expect: HB-BUFFER-TYPE
 * also: HB-MESSAGE-LOST
 * why: a pointer to int from malloc is sent as MPI_FLOAT: nothing else tells, for both sides agree on the datatype */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *numbers = calloc(10, sizeof *numbers);
	if (rank == 0)
		MPI_Send(numbers, 10, MPI_FLOAT, 1, 3, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(numbers, 10, MPI_FLOAT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	free(numbers);
	MPI_Finalize();
	return 0;
}
