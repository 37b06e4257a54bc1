/* Numbers are added up by MPI: the result depends on the order, which the library chooses (its algorithm).
 *
 * reduce [OFFSET [later]]: rank 1 gives one number that is larger by so much; the sum is begun, and waited for. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64

int main(int argc, char **argv)
{
	int rank, size;
	double in[N], out[N], one[1];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < N; i++)
		in[i] = 1.0 / (i + 1.0 + rank * 17) + 0.37 * rank;
	if (argc > 1 && rank == 1)
		in[7] += atof(argv[1]);
	if (argc > 2) {
		MPI_Request sum;
		MPI_Iallreduce(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &sum);
		MPI_Wait(&sum, MPI_STATUS_IGNORE);
	} else
		MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < N; i++)
		in[i] = out[i] * out[(i + 1) % N];
	MPI_Reduce(in, one, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	unsigned long bits = 0;
	for (int i = 0; i < N; i++) {
		unsigned long one_bits;
		memcpy(&one_bits, &out[i], sizeof one_bits);
		bits = bits * 31 + one_bits;
	}
	if (!rank)
		printf("%.17g %lx\n", out[0], bits);
	MPI_Finalize();
	return 0;
}
