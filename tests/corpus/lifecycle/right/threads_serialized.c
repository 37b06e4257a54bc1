/* why: threads take turns with a lock */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *nothing)
{
	int value = 1;
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
