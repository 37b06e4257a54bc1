/* expect: HB-RMA-MEMORY
 * why: the memory of the window is a variable of a function that has returned when the window is freed */
#include <mpi.h>

static __attribute__((noinline)) void make(MPI_Win *win)
{
	int memory[16] = {0};
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, win);
}

int main(int argc, char **argv)
{
	MPI_Win win;
	MPI_Init(&argc, &argv);
	make(&win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
