/* expect: HB-MESSAGE-TYPE
 * why: four characters are received as one integer */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	char out[4] = "abc";
	int in;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(out, 4, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(&in, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
