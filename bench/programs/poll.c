/* poll POLLS: rank 0 asks POLLS times in vain, half with MPI_Iprobe, half
 * with MPI_Test of a pending receive; rank 1 sleeps meanwhile. */
#include <mpi.h>
#include <unistd.h>

#include "bench.h"

enum { BATCH = 2000 };

static void poll_iprobe(long batches, double *samples)
{
	for (long b = 0; b < batches; b++) {
		double start = now_ns();
		for (int i = 0; i < BATCH; i++) {
			int flag;
			MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		}
		samples[b] = (now_ns() - start) / BATCH;
	}
}

static void poll_test(long batches, double *samples)
{
	int value, go = 0;
	MPI_Request request;
	MPI_Irecv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
	for (long b = 0; b < batches; b++) {
		double start = now_ns();
		for (int i = 0; i < BATCH; i++) {
			int flag;
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		}
		samples[b] = (now_ns() - start) / BATCH;
	}
	MPI_Send(&go, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sleep_until_asked(void)
{
	int value = 0, flag = 0;
	while (!flag) {
		usleep(2000);
		MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	}
	MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	long batches = argument(argc, argv, 1, 10000000) / (2 * BATCH);
	double *samples = malloc((size_t)batches * sizeof *samples);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		poll_iprobe(batches, samples);
		report_percentiles("iprobe", samples, (int)batches, "ns");
		poll_test(batches, samples);
		report_percentiles("test", samples, (int)batches, "ns");
		report("polls", (double)(2 * batches * BATCH), "1");
		report_end();
	} else if (rank == 1) {
		sleep_until_asked();
	}
	MPI_Finalize();
	free(samples);
	return 0;
}
