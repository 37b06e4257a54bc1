/* A thread does otherwise than in the recorded run, as where atomic instructions decide it: with PARTED set it waits before it locks. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t come;

static void *work(void *p)
{
	if (p)
		sem_wait(&come);
	pthread_mutex_lock(&lock);
	if (!p)
		sem_wait(&come);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t one;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	sem_init(&come, 0, 0);
	pthread_create(&one, NULL, work, getenv("PARTED"));
	sem_post(&come);
	pthread_join(one, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	puts("done");
	MPI_Finalize();
	return 0;
}
