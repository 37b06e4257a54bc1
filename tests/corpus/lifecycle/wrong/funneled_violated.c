/* expect: HB-THREAD-LEVEL
 * why: at MPI_THREAD_FUNNELED only the main thread may call MPI (MPI 4.0, 11.6.2) */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

static void *work(void *nothing)
{
	int value = 1;
	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
