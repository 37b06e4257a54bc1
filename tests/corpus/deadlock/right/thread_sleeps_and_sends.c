/* why: all threads of both processes wait for a message, and one that sleeps sends it in the end */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int rank;

static void *receive(void *arg)
{
	MPI_Recv(arg, 1, MPI_INT, !rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void *send_late(void *arg)
{
	usleep(2500000);
	MPI_Send(arg, 1, MPI_INT, !rank, 5, MPI_COMM_WORLD);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided, got, v = 1;
	pthread_t thread[2];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&thread[0], NULL, receive, &got);
	pthread_create(&thread[1], NULL, send_late, &v);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	MPI_Finalize();
	return 0;
}
