/* reads FILE: each process sends process 0 how many bytes its node's FILE has, and by when it said so: what a replay gives back. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
	int rank, size;
	long told[2] = {0, 0};
	char piece[256];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	FILE *f = fopen(argc > 1 ? argv[1] : "/dev/null", "r");
	for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;)
		told[0] += (long)n;
	if (f)
		fclose(f);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	told[1] = now.tv_nsec;
	if (rank)
		MPI_Send(told, 2, MPI_LONG, 0, 1, MPI_COMM_WORLD);
	for (int i = 1; !rank && i < size; i++) {
		MPI_Recv(told, 2, MPI_LONG, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("%d: %ld bytes at %ld\n", i, told[0], told[1]);
	}
	MPI_Finalize();
	return 0;
}
