/* Messages whose contents are all different: stream ROUNDS BYTES. What came is summed and printed now and then. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, rounds = atoi(argv[1]), n = atoi(argv[2]) / 8;
	uint64_t *v = malloc((size_t)n * 8), x = 88172645463325252u, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < rounds; i++) {
		if (rank == 0) {
			for (int k = 0; k < n; k++) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				v[k] = x;
			}
			MPI_Send(v, n, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
		} else {
			MPI_Recv(v, n, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			for (int k = 0; k < n; k++)
				sum += v[k];
			if (i % 20 == 0) {
				printf("round %d: %llx\n", i, (unsigned long long)sum);
				fflush(stdout);
			}
		}
	}
	printf("rank %d: %llx\n", rank, (unsigned long long)sum);
	MPI_Finalize();
	return 0;
}
