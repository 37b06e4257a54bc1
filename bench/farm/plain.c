/* plain TASKS ROUNDS [CREDITS]: a farm written by hand. Rank 0 hands out tasks one by one, each worker has up to CREDITS of them
 * ahead, and takes whichever result comes first. */
#include "worker.h"
#include "work.h"

static uint64_t lead(int size, uint64_t tasks, uint64_t credits)
{
	uint64_t next = 0, sum = 0, stop = 0;
	for (uint64_t k = 0; k < credits; k++)
		for (int worker = 1; worker < size && next < tasks; worker++, next++)
			MPI_Send(&next, 1, MPI_UINT64_T, worker, TAG_TASK, MPI_COMM_WORLD);
	for (uint64_t come = 0; come < tasks; come++) {
		uint64_t result;
		MPI_Status status;
		MPI_Recv(&result, 1, MPI_UINT64_T, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD, &status);
		sum += result;
		if (next < tasks) {
			MPI_Send(&next, 1, MPI_UINT64_T, status.MPI_SOURCE, TAG_TASK, MPI_COMM_WORLD);
			next++;
		}
	}
	for (int worker = 1; worker < size; worker++)
		MPI_Send(&stop, 1, MPI_UINT64_T, worker, TAG_STOP, MPI_COMM_WORLD);
	return sum;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long tasks = argument(argc, argv, 1, 20000), rounds = argument(argc, argv, 2, 0),
	     credits = argument(argc, argv, 3, 16);
	MPI_Barrier(MPI_COMM_WORLD);
	double start = now_ns();
	if (rank == 0) {
		uint64_t sum = lead(size, (uint64_t)tasks, (uint64_t)credits);
		report("task", (now_ns() - start) / (double)tasks / 1000, "us");
		report_check("sum", sum);
	} else {
		serve(work, rounds);
	}
	MPI_Finalize();
	return 0;
}
