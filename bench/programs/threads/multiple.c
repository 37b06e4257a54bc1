/* Processor time of a small message under MPI_THREAD_MULTIPLE: so many threads of one process send them to it, with a tag each or one for all; in windows
 * of nonblocking calls, or by MPI_Sendrecv. Nobody waits for another process, so that other work on the machine shows little. */
#include <mpi.h>
#include <pthread.h>

#include "bench.h"

#define MOST 16
#define WINDOW 16
#define TIMES 10 /* windows in a batch */

static int rank, windows, shared, batches;
static double *took;
static pthread_barrier_t together;

static double used_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void window(int tag)
{
	MPI_Request r[2 * WINDOW];
	int in[WINDOW], out = rank;
	for (int i = 0; i < WINDOW; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, rank, tag, MPI_COMM_WORLD, &r[i]);
	for (int i = 0; i < WINDOW; i++)
		MPI_Isend(&out, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, &r[WINDOW + i]);
	MPI_Waitall(2 * WINDOW, r, MPI_STATUSES_IGNORE);
}

static void one_by_one(int tag)
{
	int in, out = rank;
	for (int i = 0; i < WINDOW; i++)
		MPI_Sendrecv(
			&out, 1, MPI_INT, rank, tag, &in, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *thread(void *p)
{
	int me = (int)(intptr_t)p, tag = shared ? 0 : me;
	pthread_barrier_wait(&together);
	for (int b = 0; b < batches; b++) {
		double began = used_ns();
		for (int i = 0; i < TIMES; i++) {
			if (windows)
				window(tag);
			else
				one_by_one(tag);
		}
		if (!me)
			took[b] = (used_ns() - began) / (TIMES * WINDOW);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int level;
	pthread_t threads[MOST];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int n = (int)argument(argc, argv, 1, 2);
	windows = (int)argument(argc, argv, 2, 1);
	shared = (int)argument(argc, argv, 3, 0);
	batches = (int)argument(argc, argv, 4, 200);
	if (level != MPI_THREAD_MULTIPLE || n < 1 || n > MOST || batches < 1)
		MPI_Abort(MPI_COMM_WORLD, 1);
	took = calloc((size_t)batches, sizeof *took);
	pthread_barrier_init(&together, NULL, (unsigned)n);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	report_percentiles("message", took, batches, "ns");
	MPI_Finalize();
	return 0;
}
