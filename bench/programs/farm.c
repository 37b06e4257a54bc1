/* farm TASKS ROUNDS: rank 0 hands out tasks, takes results from whoever is
 * first, and chains them, so that the result printed depends on the order.
 * A task is about ROUNDS * (its number mod 7 + 1) nanoseconds of work. */
#include "../farm/worker.h"

static uint64_t work(uint64_t task, long rounds)
{
	uint64_t x = task;
	for (long i = 0; i < rounds * (long)(task % 7 + 1); i++)
		x = mix(x);
	return x;
}

static uint64_t lead(int size, uint64_t tasks)
{
	uint64_t next = 0, chained = 0;
	int busy = 0;
	for (int worker = 1; worker < size; worker++, next++, busy++)
		MPI_Send(&next, 1, MPI_UINT64_T, worker, TAG_TASK, MPI_COMM_WORLD);
	while (busy) {
		uint64_t result;
		MPI_Status status;
		MPI_Recv(&result, 1, MPI_UINT64_T, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
		chained = mix(chained ^ result);
		int more = next < tasks;
		MPI_Send(&next, 1, MPI_UINT64_T, status.MPI_SOURCE, more ? TAG_TASK : TAG_STOP, MPI_COMM_WORLD);
		next += (uint64_t)more;
		busy -= !more;
	}
	return chained;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long tasks = argument(argc, argv, 1, 20000), rounds = argument(argc, argv, 2, 5000);
	MPI_Barrier(MPI_COMM_WORLD);
	double start = now_ns();
	if (rank == 0) {
		uint64_t chained = lead(size, (uint64_t)tasks);
		report("task", (now_ns() - start) / (double)tasks / 1000, "us");
		printf("result: %016llx\n", (unsigned long long)chained);
		report_end();
	} else {
		serve(work, rounds);
	}
	MPI_Finalize();
	return 0;
}
