/* pingpong BYTES BATCHES PER_BATCH: one-way time of a message between ranks
 * 0 and 1, over many short batches in one run: the low percentiles are what
 * two runs can be compared by, the medians carry the noise of the machine. */
#include <mpi.h>

#include "bench.h"

static void exchange(int rank, char *buffer, int bytes, long count)
{
	for (long i = 0; i < count; i++) {
		if (rank == 0) {
			MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
			MPI_Recv(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else if (rank == 1) {
			MPI_Recv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
		}
	}
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int bytes = (int)argument(argc, argv, 1, 8);
	long batches = argument(argc, argv, 2, 500), per_batch = argument(argc, argv, 3, 100);
	char *buffer = malloc((size_t)bytes);
	double *samples = malloc((size_t)batches * sizeof *samples);
	memset(buffer, 1, (size_t)bytes);
	exchange(rank, buffer, bytes, 2 * per_batch);
	MPI_Barrier(MPI_COMM_WORLD);
	for (long b = 0; b < batches; b++) {
		double start = now_ns();
		exchange(rank, buffer, bytes, per_batch);
		samples[b] = (now_ns() - start) / (double)(2 * per_batch);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		report_percentiles("oneway", samples, (int)batches, "ns");
		report_end();
	}
	MPI_Finalize();
	free(samples);
	free(buffer);
	return 0;
}
