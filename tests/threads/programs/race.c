/* Two threads add to a number without a lock: what comes out of it no recorder can repeat, but that it differs is seen. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static volatile long number;

static void *add(void *p)
{
	for (long i = 0; i < 3000000; i++)
		number = number + 1;
	return p;
}

int main(int argc, char **argv)
{
	int level, rank;
	long sum, mine;
	pthread_t one, two;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_create(&one, NULL, add, NULL);
	pthread_create(&two, NULL, add, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	mine = number;
	MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%ld\n", sum);
	MPI_Finalize();
	return 0;
}
