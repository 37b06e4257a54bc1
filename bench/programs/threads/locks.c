/* Nanoseconds that a lock costs which nobody else wants, and its unlocking: the 10th percentile of many short batches. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BATCHES 2000
#define TIMES 1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, end = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *p)
{
	pthread_mutex_lock(&end);
	pthread_mutex_unlock(&end);
	return p;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	static double took[BATCHES];
	int level;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	pthread_mutex_lock(&end);
	pthread_create(&thread, NULL, other, NULL);
	for (int i = 0; i < BATCHES; i++) {
		double began = now();
		for (int k = 0; k < TIMES; k++) {
			pthread_mutex_lock(&lock);
			pthread_mutex_unlock(&lock);
		}
		took[i] = (now() - began) / TIMES;
	}
	pthread_mutex_unlock(&end);
	pthread_join(thread, NULL);
	qsort(took, BATCHES, sizeof *took, by_size);
	printf("%.2f\n", took[BATCHES / 10]);
	MPI_Finalize();
	return 0;
}
