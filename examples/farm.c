/* A task farm: process 0 hands out tasks, the others compute them.
 *
 * Tasks take unequal time, and process 0 takes whichever result comes first
 * (MPI_ANY_SOURCE). It keeps a running mean and variance (Welford 1962) of the
 * results as they come. Floating-point arithmetic rounds, so both depend on
 * the order of the messages: they differ from run to run in their last
 * digits. Each run is a correct run, and none can be repeated - but under
 * hbdb replay. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_TASK = 1, TAG_RESULT, TAG_STOP };
enum { TASKS = 1000 };

struct result {
	double task; /* a double, so that the struct goes as two of them */
	double value;
};

/* Sums 1/(x*x+1) over a piece whose length depends on the task: some take twenty times as long as others. */
static double compute(int task)
{
	int steps = 2000 + 2000 * ((task * 7919) % 20);
	double sum = 0;
	for (int i = 0; i < steps; i++) {
		double x = 0.01 * task + (double)i / steps;
		sum += 1 / (x * x + 1);
	}
	return sum;
}

static void work(void)
{
	for (;;) {
		int task;
		MPI_Status status;
		MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_STOP)
			return;
		struct result result = {task, compute(task)};
		MPI_Send(&result, 2, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
	}
}

/* Sends the next task to a worker, or tells it that there is none. Returns whether there was one. */
static int hand_out(int worker, int *next)
{
	if (*next == TASKS) {
		MPI_Send(NULL, 0, MPI_INT, worker, TAG_STOP, MPI_COMM_WORLD);
		return 0;
	}
	MPI_Send(next, 1, MPI_INT, worker, TAG_TASK, MPI_COMM_WORLD);
	++*next;
	return 1;
}

static void manage(int workers)
{
	int next = 0, busy = 0, results = 0;
	int *done = calloc((size_t)workers + 1, sizeof *done);
	double mean = 0, squares = 0;
	uint32_t order = 2166136261u; /* a hash of the order of arrival (FNV-1a) */

	for (int worker = 1; worker <= workers; worker++)
		busy += hand_out(worker, &next);
	while (busy > 0) {
		struct result result;
		MPI_Status status;
		MPI_Recv(&result, 2, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
		double delta = result.value - mean;
		mean += delta / ++results;
		squares += delta * (result.value - mean);
		order = (order ^ (uint32_t)result.task) * 16777619u;
		done[status.MPI_SOURCE]++;
		busy += hand_out(status.MPI_SOURCE, &next) - 1;
	}
	printf("mean of %d results: %.17g\n", results, mean);
	printf("variance: %.17g\n", squares / results);
	printf("order of arrival: %08x\n", order);
	printf("tasks per worker:");
	for (int worker = 1; worker <= workers; worker++)
		printf(" %d", done[worker]);
	printf("\n");
	free(done);
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 2)
		fprintf(stderr, "farm: run me with at least 2 processes\n");
	else if (rank == 0)
		manage(size - 1);
	else
		work();
	MPI_Finalize();
	return size < 2;
}
