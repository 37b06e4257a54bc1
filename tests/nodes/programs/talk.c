/* talk ROUNDS [MS]: all processes but 0 send it ROUNDS messages, which it takes in any order and answers; MS: each rests so long between two. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void rest(int ms)
{
	if (ms)
		usleep((unsigned)ms * 1000);
}

int main(int argc, char **argv)
{
	int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 10, ms = argc > 2 ? atoi(argv[2]) : 0, value;
	unsigned order = 5381;
	char host[256];
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	gethostname(host, sizeof host);
	for (int i = 0; i < (rank ? rounds : rounds * (size - 1)); i++) {
		if (!rank) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
			order = order * 33 + (unsigned)status.MPI_SOURCE;
			MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
		} else {
			value = rank * 1000 + i;
			MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
			MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
			rest(ms);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		printf("order %08x\n", order);
	fprintf(stderr, "%d on %s\n", rank, host);
	MPI_Finalize();
	return 0;
}
