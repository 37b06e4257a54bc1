/* Messages that only threads make ambiguous: two threads send to one receiver, and two threads receive from one sender, on the
 * same communicator with the same tag. What the model does not call ambiguous must be right even here. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* So long that a send waits for its receive: the calls of the threads overlap. */
enum { EACH = 60, THREADS = 2, LENGTH = 50000 };
static int sent[LENGTH];
static pthread_barrier_t beside; /* no thread may be done before the other begins */

static void *send_some(void *tag)
{
	for (int i = 0; i < EACH; i++) {
		pthread_barrier_wait(&beside);
		MPI_Send(sent, LENGTH, MPI_INT, 0, *(int *)tag, MPI_COMM_WORLD);
	}
	return NULL;
}

static void *receive_some(void *tag)
{
	int *value = malloc(sizeof sent);
	for (int i = 0; i < EACH; i++) {
		pthread_barrier_wait(&beside);
		MPI_Recv(value, LENGTH, MPI_INT, 1, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	free(value);
	return NULL;
}

/* threads: how many do it on this side, the same number of messages in all on both */
static void together(void *what(void *), int tag, int threads)
{
	pthread_t other[THREADS];
	pthread_barrier_init(&beside, NULL, (unsigned)threads);
	for (int i = 1; i < threads; i++)
		pthread_create(&other[i], NULL, what, &tag);
	what(&tag);
	for (int i = 1; i < threads; i++)
		pthread_join(other[i], NULL);
	pthread_barrier_destroy(&beside);
	pthread_barrier_init(&beside, NULL, 1);
	for (int i = threads; i < THREADS; i++)
		what(&tag);
}

int main(int argc, char **argv)
{
	int rank, provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (provided < MPI_THREAD_MULTIPLE) {
		fprintf(stderr, "threads: MPI_THREAD_MULTIPLE is not provided\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (int tag = 1; tag <= 3; tag++) { /* 1: threads send, 2: threads receive, 3: one to one, which is certain */
		int senders = tag == 1 ? THREADS : 1, receivers = tag == 2 ? THREADS : 1;
		if (rank < 2)
			together(rank ? send_some : receive_some, tag, rank ? senders : receivers);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
