/* processes: 2
 * expect: HB-THREAD-REQUEST
 * why: one thread waits for a request that another one tests meanwhile */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int rank, begun, number;
static MPI_Request request;

static void *waits(void *unused)
{
	MPI_Irecv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return unused;
}

static void *tests(void *unused)
{
	int done;
	while (!begun)
		usleep(1000);
	for (int i = 0; i < 50; i++, usleep(10000))
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	return unused;
}

int main(int argc, char **argv)
{
	int provided, go = 0;
	pthread_t a, b;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		pthread_create(&a, NULL, waits, NULL);
		pthread_create(&b, NULL, tests, NULL);
		while (begun < 2)
			usleep(1000);
		sleep(1);
		MPI_Send(&go, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	} else {
		MPI_Recv(&go, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
