/* processes: 2
 * expect: HB-BUFFER-OVERLAP
 * why: two threads receive into one variable at once */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int rank, begun, number;

static void *receive(void *unused)
{
	int tag = __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	MPI_Recv(&number, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return unused;
}

int main(int argc, char **argv)
{
	int provided, go = 0;
	pthread_t a, b;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		pthread_create(&a, NULL, receive, NULL);
		pthread_create(&b, NULL, receive, NULL);
		while (begun < 2)
			usleep(1000);
		sleep(1);
		MPI_Send(&go, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	} else {
		MPI_Recv(&go, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Send(&go, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
