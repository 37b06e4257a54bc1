/* A correct program: the library gives out the handle of a receive again, to a persistent one, before the thread that ended the first has come back from
 * MPI_Wait; from another variable than it was made in the new one is started, ended and freed. late: tests/threads/programs/late.c */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define TIMES 10

extern __thread void (*late)(void);
static sem_t over, back;
static MPI_Request first;

static void wait_for(sem_t *s)
{
	while (sem_wait(s))
		;
}

static void hold(void)
{
	sem_post(&over);
	wait_for(&back);
}

static void *end(void *p)
{
	late = hold;
	MPI_Wait(&first, MPI_STATUS_IGNORE);
	return p;
}

static void again(MPI_Request request, int i)
{
	MPI_Start(&request);
	MPI_Send(&i, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
	int level, got[2], same = 0;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (level != MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 1);
	sem_init(&over, 0, 0);
	sem_init(&back, 0, 0);
	for (int i = 0; i < TIMES; i++) {
		MPI_Request made;
		MPI_Irecv(&got[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &first);
		MPI_Request before = first;
		/* Sent first: MPICH 4.0 may never come back from MPI_Wait when another thread completes its request. */
		MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
		pthread_create(&thread, NULL, end, NULL);
		wait_for(&over);
		MPI_Recv_init(&got[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &made);
		same += made == before;
		again(made, i);
		sem_post(&back);
		pthread_join(thread, NULL);
	}
	printf("same handle: %d of %d\n", same, TIMES);
	MPI_Finalize();
	return 0;
}
