/* processes: 2
 * why: two threads in collectives at once, each of its own communicator, with buffers side by side and one that both send from; then one after the other of
 * one communicator */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int rank, sums[2], one = 1;
static MPI_Comm comm[2];
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *mine)
{
	int i = *(int *)mine;
	for (int k = 0; k < 20; k++)
		MPI_Allreduce(&one, &sums[i], 1, MPI_INT, MPI_SUM, comm[i]);
	pthread_mutex_lock(&turn);
	MPI_Barrier(MPI_COMM_WORLD);
	pthread_mutex_unlock(&turn);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided, number[2] = {0, 1};
	pthread_t other;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
	pthread_create(&other, NULL, work, &number[1]);
	work(&number[0]);
	pthread_join(other, NULL);
	MPI_Comm_free(&comm[0]);
	MPI_Comm_free(&comm[1]);
	MPI_Finalize();
	return 0;
}
