/* why: windows on variables of this function and of its caller, on the heap, mapped, empty, one inside of another: freed after them */
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>

static void free_it(MPI_Win *win)
{
	volatile char room[4096] = {0};
	(void)room[0];
	MPI_Win_free(win);
}

static void use(int *outer)
{
	int inner[16] = {0}, *heap = malloc(64), *part, *big = malloc(4 << 20);
	MPI_Win win[6];
	void *mapped = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	MPI_Alloc_mem(256, MPI_INFO_NULL, &part);
	MPI_Win_create(outer, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]);
	MPI_Win_create(inner, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[1]);
	MPI_Win_create(heap, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[2]);
	MPI_Win_create(mapped, 65536, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[3]);
	MPI_Win_create(NULL, 0, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[4]);
	MPI_Win_create(part, 256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win[5]);
	for (int i = 0; i < 6; i++)
		MPI_Win_fence(0, win[i]);
	free(big);
	for (int i = 0; i < 6; i++)
		free_it(&win[i]);
	MPI_Free_mem(part);
	munmap(mapped, 65536);
	free(heap);
}

int main(int argc, char **argv)
{
	int outer[16] = {0};
	MPI_Init(&argc, &argv);
	use(outer);
	MPI_Finalize();
	return 0;
}
