/* expect: HB-DEADLOCK-CYCLE
 * why: two threads in each process, all in a receive from the other process */
#include <mpi.h>
#include <pthread.h>

static int rank;

static void *work(void *arg)
{
	int tag = *(int *)arg, v = 0;
	MPI_Recv(&v, 1, MPI_INT, !rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Ssend(&v, 1, MPI_INT, !rank, tag, MPI_COMM_WORLD);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided, tag[2] = {1, 2};
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&thread, NULL, work, &tag[0]);
	work(&tag[1]);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
