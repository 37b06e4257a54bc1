/* Two threads of each process, each with a communicator of its own; what they share is no message.
 *
 * usage: threads apart|share. share: the one that comes first to a counter says so by what it sends. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 200

static int rank, size, shared, first[2];
static MPI_Comm comm[2];
static long sum[2];

static void *work(void *argument)
{
	int me = (int)(long)argument;
	for (int i = 0; i < ROUNDS; i++) {
		int mine = rank * 10000 + me * 1000 + i, got;
		if (shared) {
			int n = __atomic_fetch_add(&first[0], 1, __ATOMIC_SEQ_CST);
			mine += n * 100000;
			if (me == 0 && i % 16 == rank)
				usleep(1500);
		}
		MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, me, &got, 1, MPI_INT, MPI_ANY_SOURCE, me, comm[me],
			MPI_STATUS_IGNORE);
		sum[me] += got;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t other;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (level != MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	shared = argc > 1 && !strcmp(argv[1], "share");
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
	pthread_create(&other, NULL, work, (void *)1);
	work((void *)0);
	pthread_join(other, NULL);
	printf("rank %d: %ld %ld\n", rank, sum[0], sum[1]);
	for (int i = 0; i < 2; i++)
		MPI_Comm_free(&comm[i]);
	MPI_Finalize();
	return 0;
}
