/* Rank 1 receives in its first thread, and hands what it got to a second one by a lock; the first event of that one comes after the receive. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#include <hbdb/event.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;
static int value;

static void *second(void *p)
{
	pthread_mutex_lock(&lock);
	while (!value)
		pthread_cond_wait(&there, &lock);
	pthread_mutex_unlock(&lock);
	hb_event("handed");
	return p;
}

int main(int argc, char **argv)
{
	int rank, level, got = 7;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Send(&got, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	} else if (rank == 1) {
		pthread_create(&thread, NULL, second, NULL);
		MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		pthread_mutex_lock(&lock);
		value = got;
		pthread_cond_signal(&there);
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
	}
	MPI_Finalize();
	return 0;
}
