/* exchange BYTES STEPS: what a halo exchange costs without the work between: four Irecv, four Isend and a Waitall a step,
 * with both neighbours in a ring, and one byte of each buffer used. */
#include <mpi.h>

#include "bench.h"

enum { MESSAGES = 4 };

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long bytes = argument(argc, argv, 1, 64), steps = argument(argc, argv, 2, 20000);
	unsigned char *out[MESSAGES], *in[MESSAGES];
	unsigned long long sum = 0;
	for (int m = 0; m < MESSAGES; m++) {
		out[m] = calloc((size_t)bytes, 1);
		in[m] = calloc((size_t)bytes, 1);
	}
	double start = 0;
	for (long i = -steps / 10; i < steps; i++) {
		MPI_Request request[2 * MESSAGES];
		if (i == 0) {
			MPI_Barrier(MPI_COMM_WORLD);
			start = now_ns();
		}
		for (int m = 0; m < MESSAGES; m++) {
			int from = (rank + (m & 1 ? 1 : size - 1)) % size;
			MPI_Irecv(in[m], (int)bytes, MPI_BYTE, from, m, MPI_COMM_WORLD, &request[m]);
		}
		for (int m = 0; m < MESSAGES; m++) {
			int to = (rank + (m & 1 ? size - 1 : 1)) % size;
			out[m][(unsigned long)i % (unsigned long)bytes] = (unsigned char)(i + m);
			MPI_Isend(out[m], (int)bytes, MPI_BYTE, to, m, MPI_COMM_WORLD, &request[MESSAGES + m]);
		}
		MPI_Waitall(2 * MESSAGES, request, MPI_STATUSES_IGNORE);
		for (int m = 0; m < MESSAGES; m++)
			sum += in[m][(unsigned long)i % (unsigned long)bytes];
	}
	MPI_Barrier(MPI_COMM_WORLD);
	double time = now_ns() - start;
	if (rank == 0) {
		report("step", time / (double)steps / 1000, "us");
		report_check("sum", sum);
		report_end();
	}
	MPI_Finalize();
	return 0;
}
