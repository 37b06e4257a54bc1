/* A thread of rank 1 computes for so many seconds before its last call, and one of rank 0 waits for that. usage: computes SECONDS */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank;
static unsigned seconds;

static void *thread(void *p)
{
	int v = 0;
	(void)p;
	for (int i = 0; i < 2; i++) {
		if (!rank) {
			MPI_Recv(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			continue;
		}
		sleep(i ? seconds : 0);
		MPI_Send(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	if (!rank)
		MPI_Send(&v, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	return NULL;
}

int main(int argc, char **argv)
{
	int level, v;
	pthread_t t;
	seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	if (rank)
		MPI_Recv(&v, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("rank %d is over\n", rank);
	MPI_Finalize();
	return 0;
}
