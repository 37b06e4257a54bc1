/* processes: 2
   why: each put is over when its thread has been joined, and a barrier of the first thread comes before the next one's start */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

static MPI_Win win;
static int *base;
static int rank;
static void *put_it(void *unused)
{
	int v = 3;
	(void)unused;
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
	return NULL;
}
static void in_a_thread(void)
{
	pthread_t t;
	pthread_create(&t, NULL, put_it, NULL);
	pthread_join(t, NULL);
}
int main(int argc, char **argv)
{
	int level;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(8 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	for (int i = 0; i < 4; i++) {
		if (rank == i % 2)
			in_a_thread();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
