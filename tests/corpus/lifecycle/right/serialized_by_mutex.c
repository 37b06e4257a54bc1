/* processes: 1
 * why: threads that take turns, at MPI_THREAD_SERIALIZED */
#include <mpi.h>
#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
	int size;
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&turn);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		pthread_mutex_unlock(&turn);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int provided, size;
	pthread_t t;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	pthread_create(&t, NULL, other, NULL);
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&turn);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		pthread_mutex_unlock(&turn);
	}
	pthread_join(t, NULL);
	MPI_Finalize();
	return 0;
}
