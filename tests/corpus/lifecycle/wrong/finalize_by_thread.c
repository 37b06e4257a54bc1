/* processes: 2
 * expect: HB-THREAD-FINALIZE
 * why: another thread than the one that initialized MPI finalizes it */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static void *ends(void *unused)
{
	MPI_Finalize();
	return unused;
}

int main(int argc, char **argv)
{
	int provided;
	pthread_t a;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	pthread_create(&a, NULL, ends, NULL);
	pthread_join(a, NULL);
	return 0;
}
