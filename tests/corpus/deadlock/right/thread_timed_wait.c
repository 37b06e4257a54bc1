/* why: the first thread waits with a time for a condition that nobody signals, and sends what the other one waits for then */
#include <mpi.h>
#include <pthread.h>
#include <time.h>

static void *receive(void *arg)
{
	MPI_Recv(arg, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	int provided, got, v = 1, rank;
	struct timespec until;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&thread, NULL, receive, &got);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 2 && rank == 0; i++)
		MPI_Send(&v, 1, MPI_INT, i, 5, MPI_COMM_WORLD);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
