/* MPI, and events of the program before MPI_Init, between, in a thread that never calls MPI, and after MPI_Finalize.
 * mixed other: one of them is said only in some runs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <hbdb/event.h>
#include <mpi.h>

static void *thread(void *unused)
{
	hb_event("in a thread");
	hb_received("to the thread", 1, 4);
	return unused;
}

int main(int argc, char **argv)
{
	int rank, flag = 0, x = 7;
	pthread_t t;
	hb_event("before MPI");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	hb_sent("to the thread", 1, 4);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	if (getenv("SAY_MORE"))
		HB_EVENT("more", hb_integer("rank", rank));
	if (rank == 0)
		MPI_Send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	while (rank == 1 && !flag) {
		MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		hb_event("asked");
	}
	if (rank == 1)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!getenv("SAY_LESS"))
		hb_event("less");
	MPI_Finalize();
	hb_event("after MPI");
	return 0;
}
