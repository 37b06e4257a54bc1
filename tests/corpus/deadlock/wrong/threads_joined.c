/* expect: HB-DEADLOCK-CYCLE
 * why: in each process two threads wait for messages, and the first one for the end of these threads */
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
	pthread_t thread[2];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, &tag[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	MPI_Finalize();
	return 0;
}
