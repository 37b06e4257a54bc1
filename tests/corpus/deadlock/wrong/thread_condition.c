/* expect: HB-DEADLOCK-CYCLE
 * why: rank 0's first thread sleeps until its second one has got a message, which rank 1 sends only after one from the first */
#include <mpi.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER;
static int got;

static void *work(void *arg)
{
	int v;
	MPI_Recv(&v, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	pthread_mutex_lock(&mutex);
	got = 1;
	pthread_cond_signal(&come);
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(int argc, char **argv)
{
	int provided, rank, v = 1;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		pthread_create(&thread, NULL, work, NULL);
		pthread_mutex_lock(&mutex);
		while (!got)
			pthread_cond_wait(&come, &mutex);
		pthread_mutex_unlock(&mutex);
		MPI_Send(&v, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
		pthread_join(thread, NULL);
	} else {
		MPI_Recv(&v, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
