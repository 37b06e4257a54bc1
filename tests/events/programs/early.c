/* Events before MPI_Init, also in a thread that ends before it.
 * early leave: ends without having called MPI_Init; early crash: crashes before it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/event.h>
#include <mpi.h>

static void *thread(void *unused)
{
	for (int i = 0; i < 3; i++)
		HB_EVENT("in a thread", hb_integer("i", i));
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int rank, size, level, x;
	pthread_t t;
	hb_begin("set up");
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	hb_end("set up");
	if (!strcmp(how, "crash"))
		abort();
	if (!strcmp(how, "leave"))
		return 0;
	MPI_Initialized(&x);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	x = rank;
	for (int i = 1; i < size && rank == 0; i++)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank)
		MPI_Send(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	MPI_Finalize();
	hb_event("after MPI");
	return 0;
}
