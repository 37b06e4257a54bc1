/* Two threads of each of two processes exchange messages, each pair on a communicator of its own, and both also on one that they share: what is on
 * their own can be matched in a ring, what they share cannot. usage: threads ROUNDS */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static int rank, rounds;
static MPI_Comm own[2];

static void *exchange(void *which)
{
	int me = *(int *)which, other = 1 - rank, in;
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 2; k++) {
			MPI_Comm comm = k && i % 4 == 0 ? MPI_COMM_WORLD : own[me];
			if (rank == 0) {
				MPI_Send(&i, 1, MPI_INT, other, 5, comm);
				MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, MPI_STATUS_IGNORE);
			} else {
				MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, MPI_STATUS_IGNORE);
				MPI_Send(&i, 1, MPI_INT, other, 6, comm);
			}
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int got, number[2] = {0, 1};
	pthread_t thread;
	rounds = argc > 1 ? atoi(argv[1]) : 1000;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &own[0]);
	MPI_Comm_dup(MPI_COMM_WORLD, &own[1]);
	pthread_create(&thread, NULL, exchange, &number[1]);
	exchange(&number[0]);
	pthread_join(thread, NULL);
	MPI_Comm_free(&own[0]);
	MPI_Comm_free(&own[1]);
	MPI_Finalize();
	return got == MPI_THREAD_MULTIPLE ? 0 : 1;
}
