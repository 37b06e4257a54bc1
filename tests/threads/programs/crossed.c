/* One thread of rank 1 sends after the other one, which no call tells: by a variable. With CROSSED in the environment the other one is first,
 * so that a replay with it can come to no end. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int done[2], first;

static void *sends(void *p)
{
	int me = *(int *)p;
	while (me != first && !__atomic_load_n(&done[first], __ATOMIC_ACQUIRE))
		sched_yield();
	MPI_Send(&me, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	__atomic_store_n(&done[me], 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(int argc, char **argv)
{
	int rank, level, got[2], number[2] = {0, 1};
	pthread_t thread[2];
	first = getenv("CROSSED") != NULL;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i++)
		if (rank == 0)
			MPI_Recv(&got[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			pthread_create(&thread[i], NULL, sends, &number[i]);
	for (int i = 0; i < 2 && rank; i++)
		pthread_join(thread[i], NULL);
	if (!rank)
		printf("%d %d\n", got[0], got[1]);
	MPI_Finalize();
	return 0;
}
