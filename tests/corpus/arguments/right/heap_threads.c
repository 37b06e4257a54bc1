/* processes: 2
 * why: threads allocate, grow and free blocks that end in each other's hands, while the first thread sends some */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define SLOTS 64
static char *slot[SLOTS];

static void *work(void *p)
{
	uint32_t x = (uint32_t)(uintptr_t)p;
	for (int i = 0; i < 100000; i++) {
		x = x * 1103515245u + 12345u;
		size_t bytes = 8 + (x >> 16) % 3000 * (x >> 28 ? 1 : 100);
		char *block = x & 256 ? malloc(bytes) : calloc(1, bytes);
		block[bytes - 1] = 0;
		if (x & 512)
			block = realloc(block, bytes = bytes / 2 + 600);
		block[bytes - 1] = 0;
		free(__atomic_exchange_n(&slot[(x >> 9) % SLOTS], block, __ATOMIC_ACQ_REL));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int rank, level;
	pthread_t thread[THREADS];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 300; i++) {
		int bytes = 1 + i * 40;
		char *a = calloc(1, (size_t)bytes), *b = malloc((size_t)bytes);
		MPI_Sendrecv(a, bytes, MPI_BYTE, 1 - rank, 0, b, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		free(a);
		free(b);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < SLOTS; i++)
		free(slot[i]);
	MPI_Finalize();
	return 0;
}
