/* expect: HB-MESSAGE-LOST
 * why: a buffered send is local, but its message must be received by somebody */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1, bytes = 1000 + MPI_BSEND_OVERHEAD;
	void *buffer = malloc(bytes);
	MPI_Buffer_attach(buffer, bytes);
	if (rank == 1)
		MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Buffer_detach(&buffer, &bytes);
	free(buffer);
	MPI_Finalize();
	return 0;
}
