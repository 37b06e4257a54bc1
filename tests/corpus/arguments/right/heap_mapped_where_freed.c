/* processes: 2
 * why: where a large block was freed, and given back to the system, other memory is mapped: shared memory, and the stack of a thread */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

static int rank;

static void turn(char *a, int bytes)
{
	MPI_Sendrecv(a, bytes, MPI_BYTE, 1 - rank, 0, a + bytes, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
}

static void *on_a_stack(void *unused)
{
	char array[20000] = {0};
	turn(array, 10000);
	return unused;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	size_t size = 16 << 20;
	for (int i = 0; level >= MPI_THREAD_SERIALIZED && i < 3; i++) {
		char *block = calloc(1, size);
		turn(block + 100, 1000);
		free(block);
		char *mapped = mmap((void *)0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		for (size_t at = 0; at < size; at += size / 8)
			turn(mapped + at, 1000);
		munmap(mapped, size);
		pthread_create(&thread, (void *)0, on_a_stack, (void *)0);
		pthread_join(thread, (void *)0);
	}
	MPI_Finalize();
	return 0;
}
