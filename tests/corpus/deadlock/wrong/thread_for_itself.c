/* processes: 1
 * expect: HB-DEADLOCK-CYCLE
 * why: a thread waits for a message that its own process would send once the thread has ended */
#include <mpi.h>
#include <pthread.h>

static void *work(void *arg)
{
	MPI_Recv(arg, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided, got, v = 1;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	pthread_create(&thread, NULL, work, &got);
	pthread_join(thread, NULL);
	MPI_Ssend(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
