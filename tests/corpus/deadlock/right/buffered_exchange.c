/* why: buffered sends of both: the buffer is the program's own */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mine = rank, other, bytes = 100 + MPI_BSEND_OVERHEAD;
	void *buffer = malloc(bytes);
	MPI_Buffer_attach(buffer, bytes);
	MPI_Bsend(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&buffer, &bytes);
	free(buffer);
	MPI_Finalize();
	return 0;
}
