/* expect: HB-RMA-MEMORY
 * also: HB-CRASH HB-FINALIZE-MISSING HB-CALL-FAILED
 * why: a block of 16 MB is freed, and so unmapped, before the window that it is the memory of */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t bytes = 16 << 20;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	char *memory = malloc(bytes);
	MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	free(memory);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
