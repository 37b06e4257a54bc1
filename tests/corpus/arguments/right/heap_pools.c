/* processes: 2
 * why: buffers in a pool in one block, behind a freed block that is in use again, and in mapped and shared memory */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void turn(int rank, void *a, void *b, int bytes)
{
	MPI_Sendrecv(
		a, bytes, MPI_BYTE, 1 - rank, 0, b, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	char *pool = calloc(1, 300000);
	for (int at = 0; at + 2000 <= 300000; at += 37000)
		turn(rank, pool + at, pool + at + 1000, 1000);
	turn(rank, pool, pool + 150000, 150000);
	free(pool);
	for (int i = 0; i < 50; i++) { /* what was freed is given out again, in other pieces */
		char *one = calloc(1, (size_t)(24 + 40 * i)), *two = calloc(1, (size_t)(100 + 40 * i));
		turn(rank, one, two, 24 + 40 * i);
		free(i % 2 ? one : two);
		char *three = calloc(1, (size_t)(16 + 13 * i));
		turn(rank, i % 2 ? two : one, three, 16 + 13 * i);
		free(i % 2 ? two : one);
		free(three);
	}
	char *mapped = mmap((void *)0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap((void *)0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	turn(rank, mapped, shared, 1 << 20);
	munmap(mapped, 1 << 20);
	munmap(shared, 1 << 20);
	MPI_Finalize();
	return 0;
}
