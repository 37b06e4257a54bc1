/* why: two threads in MPI at once, each with its own tag, at MPI_THREAD_MULTIPLE */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

static int rank;
static void *work(void *tag)
{
	int mine = rank, other;
	for (int i = 0; i < 5; i++)
		MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, *(int *)tag, &other, 1, MPI_INT, 1 - rank, *(int *)tag,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided, tags[2] = {1, 2};
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided == MPI_THREAD_MULTIPLE) {
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		pthread_create(&thread, NULL, work, &tags[0]);
		work(&tags[1]);
		pthread_join(thread, NULL);
	}
	MPI_Finalize();
	return 0;
}
