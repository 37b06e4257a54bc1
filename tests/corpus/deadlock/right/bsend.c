/* processes: 2
   why: buffered sends before the receives: the program gave the buffer */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int size_of = sizeof x + MPI_BSEND_OVERHEAD;
	void *buffer = malloc((size_t)size_of);
	MPI_Buffer_attach(buffer, size_of);
	MPI_Bsend(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Recv(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&buffer, &size_of);
	free(buffer);
	MPI_Finalize();
	return size < 1;
}
