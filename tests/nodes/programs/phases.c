/* phases TURNS FILE: each process talks TURNS times with itself, waits until there is this file, and does it again. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void talk(int turns)
{
	for (int i = 0, got; i < turns; i++) {
		MPI_Request request;
		MPI_Isend(&i, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
		MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int turns = argc > 2 ? atoi(argv[1]) : 0, rank;
	char host[256];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	gethostname(host, sizeof host);
	talk(turns);
	MPI_Barrier(MPI_COMM_WORLD);
	fprintf(stderr, "%d waits\n", rank);
	while (argc > 2 && access(argv[2], F_OK))
		usleep(20000);
	talk(turns);
	MPI_Barrier(MPI_COMM_WORLD);
	fprintf(stderr, "%d ends on %s\n", rank, host);
	MPI_Finalize();
	return 0;
}
