/* expect: HB-THREAD-LEVEL
 * why: at MPI_THREAD_SERIALIZED two threads are in MPI at the same time */
#include <mpi.h>
#include <pthread.h>
#include <time.h>
#include <stddef.h>

static int value, back;
static void *work(void *peer)
{
	MPI_Recv(&back, 1, MPI_INT, *(int *)peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided, rank;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int peer = 1 - rank;
	pthread_create(&thread, NULL, work, &peer);
	struct timespec wait = {0, 300000000};
	nanosleep(&wait, NULL);
	MPI_Send(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
