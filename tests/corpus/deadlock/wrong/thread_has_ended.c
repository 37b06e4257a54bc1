/* expect: HB-DEADLOCK-CYCLE
 * why: a thread that has received has ended, and the first threads of both processes wait for each other */
#include <mpi.h>
#include <pthread.h>

static int rank;

static void *work(void *arg)
{
	MPI_Sendrecv(&rank, 1, MPI_INT, !rank, 5, arg, 1, MPI_INT, !rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided, got, v;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&thread, NULL, work, &got);
	pthread_join(thread, NULL);
	MPI_Recv(&v, 1, MPI_INT, !rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&v, 1, MPI_INT, !rank, 6, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
