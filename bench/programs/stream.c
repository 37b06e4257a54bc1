/* stream MESSAGES: every rank but 0 sends its share of 8-byte messages to
 * rank 0, which takes them one by one with MPI_ANY_SOURCE. Prints the time
 * per message and the order-0 entropy of the sources in the order in which
 * they came: what any record of the choices costs unless it predicts.
 * stream MESSAGES turns: the same in turns of eight, sent and then received, so that nobody waits inside of a call: for counting. */
#include <math.h>
#include <mpi.h>

#include "bench.h"

static double order0_entropy(const long *counts, int size, long total)
{
	double bits = 0;
	for (int i = 0; i < size; i++) {
		double p = (double)counts[i] / (double)total;
		if (counts[i])
			bits -= p * log2(p);
	}
	return bits;
}

/* Entropy of a source given the one before it: how much of it is bursts. */
static double order1_entropy(const unsigned char *sources, int size, long total)
{
	long *pairs = calloc((size_t)(size * size), sizeof *pairs);
	double bits = 0;
	for (long i = 1; i < total; i++)
		pairs[sources[i - 1] * size + sources[i]]++;
	for (int before = 0; before < size; before++) {
		long row = 0;
		for (int i = 0; i < size; i++)
			row += pairs[before * size + i];
		if (row)
			bits += order0_entropy(pairs + before * size, size, row) * (double)row / (double)total;
	}
	free(pairs);
	return bits;
}

static double receive_all(unsigned char *sources, long total)
{
	double start = now_ns();
	for (long i = 0; i < total; i++) {
		uint64_t value;
		MPI_Status status;
		MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		sources[i] = (unsigned char)status.MPI_SOURCE;
	}
	return now_ns() - start;
}

static void report_stream(const unsigned char *sources, int size, long total, double time)
{
	long *counts = calloc((size_t)size, sizeof *counts);
	for (long i = 0; i < total; i++)
		counts[sources[i]]++;
	report("message", time / (double)total, "ns");
	report("messages", (double)total, "1");
	report("entropy0", order0_entropy(counts, size, total), "bits");
	report("entropy1", order1_entropy(sources, size, total), "bits");
	report_end();
	free(counts);
}

enum { TURN = 8 };

__attribute__((noinline)) static void counted_sends(void)
{
	for (uint64_t i = 0; i < TURN; i++)
		MPI_Send(&i, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void counted_receives(void)
{
	for (int i = 0; i < TURN; i++) {
		uint64_t value;
		MPI_Status status;
		MPI_Recv(&value, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
	}
}

static void turns(int rank, long messages)
{
	for (long i = 0; i < messages / TURN; i++) {
		if (rank == 1)
			counted_sends();
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 0)
			counted_receives();
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 2 || size > 255) {
		fprintf(stderr, "stream: 2 to 255 ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (argc > 2) {
		turns(rank, argument(argc, argv, 1, 4000));
		MPI_Finalize();
		return 0;
	}
	long share = argument(argc, argv, 1, 1000000) / (size - 1), total = share * (size - 1);
	unsigned char *sources = rank == 0 ? malloc((size_t)total) : NULL;
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		report_stream(sources, size, total, receive_all(sources, total));
	else
		for (uint64_t i = 0; i < (uint64_t)share; i++) {
			/* A sender that never waits fills memory with unexpected messages. */
			if (i % 1024 == 1023)
				MPI_Ssend(&i, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
			else
				MPI_Send(&i, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
		}
	MPI_Finalize();
	free(sources);
	return 0;
}
