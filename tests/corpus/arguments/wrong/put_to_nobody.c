/* expect: HB-ARG-RANK
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-WIN HB-RMA-RANGE HB-RMA-EPOCH-NONE
 * why: a put to a process that does not exist */
#include <mpi.h>

int main(int argc, char **argv)
{
	int size;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int memory, value = 1;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
