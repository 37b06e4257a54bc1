/* Stands where what is recorded so far could be taken for errors: rank 0 waits in a receive, rank 1 takes messages later that came long ago, and has a
 * receive under way. Goes on when the file is there.
 *
 * usage: still FILE ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int v;

static void talk(int rank, int rounds)
{
	int got;
	MPI_Request r;
	for (int i = 0; i < rounds; i++) {
		MPI_Irecv(&got, 1, MPI_INT, !rank, 5, MPI_COMM_WORLD, &r);
		MPI_Send(&i, 1, MPI_INT, !rank, 5, MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}

static void first(void)
{
	MPI_Request r;
	MPI_Send(&v, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	MPI_Isend(&v, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &r);
	MPI_Recv(&v, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Send(&v, 1, MPI_INT, 1, 11, MPI_COMM_WORLD);
}

static void second(const char *file)
{
	int last;
	MPI_Request r;
	MPI_Irecv(&last, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, &r);
	printf("stands\n");
	fflush(stdout);
	while (access(file, F_OK))
		usleep(10000);
	MPI_Recv(&v, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Recv(&v, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&v, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	talk(rank, atoi(argv[2]));
	if (rank)
		second(argv[1]);
	else
		first();
	MPI_Finalize();
	return 0;
}
