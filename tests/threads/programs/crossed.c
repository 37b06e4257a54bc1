/* One thread of rank 1 sends when the other one, which has sent, has ended. With CROSSED in the environment it is the other way round, so that
 * a replay of a run without it can come to no end: a join orders threads, and no replay can change it. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t thread[2];
static int first, ready;

static void *sends(void *p)
{
	int me = *(int *)p;
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		sched_yield();
	if (me != first)
		pthread_join(thread[first], NULL);
	MPI_Send(&me, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	return NULL;
}

int main(int argc, char **argv)
{
	int rank, level, got[2], number[2] = {0, 1};
	first = getenv("CROSSED") != NULL;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i++)
		if (rank == 0)
			MPI_Recv(&got[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			pthread_create(&thread[i], NULL, sends, &number[i]);
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
	if (rank)
		pthread_join(thread[!first], NULL);
	else
		printf("%d %d\n", got[0], got[1]);
	MPI_Finalize();
	return 0;
}
