/* processes: 1
 * expect: HB-THREAD-LEVEL
 * why: a thread other than the first calls MPI at MPI_THREAD_FUNNELED */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

static void *other(void *unused)
{
	int rank, size;
	MPI_Comm_rank(MPI_COMM_SELF, &rank);
	MPI_Comm_size(MPI_COMM_SELF, &size);
	return unused;
}

int main(int argc, char **argv)
{
	int provided;
	pthread_t t;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	pthread_create(&t, NULL, other, NULL);
	pthread_join(t, NULL);
	MPI_Finalize();
	return 0;
}
