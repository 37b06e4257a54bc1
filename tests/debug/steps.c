/* What the tests of hbdb debug look at: rounds of a ring, a function to break in, and a way to end for each kind of death.
 * Lines that the tests name carry a mark. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int total;
struct pair {
	int a, b;
} last;

static int add(int a, int b)
{
	int sum = a + b; /* MARK add */
	last.a = a;
	last.b = b;
	return sum; /* MARK sum */
}

/* A token from each process to the next one. */
static int pass(int rank, int size, int round)
{
	int mine = 10 * rank + round, got = -1;
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	if (rank == 0) {
		MPI_Send(&mine, 1, MPI_INT, next, round, MPI_COMM_WORLD);
		MPI_Recv(&got, 1, MPI_INT, before, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&got, 1, MPI_INT, before, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&mine, 1, MPI_INT, next, round, MPI_COMM_WORLD);
	}
	return got;
}

static void end_badly(const char *how)
{
	int *nowhere = NULL;
	if (!strcmp(how, "segv"))
		*nowhere = 1; /* MARK segv */
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "mpi"))
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (!strcmp(how, "spin"))
		for (volatile int i = 0;; i++) /* MARK spin */
			;
}

int main(int argc, char **argv)
{
	int rank, size, word = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int n = rank == 3 ? 101 : 100;
	int rounds = argc > 1 ? atoi(argv[1]) : 5;
	if (rank == 0 && scanf("%d", &word) == 1)
		printf("read %d\n", word);
	for (int round = 0; round < rounds; round++) {
		int got = pass(rank, size, round);
		total = add(total, got); /* MARK call */
		n += round == 2;
	}
	MPI_Barrier(MPI_COMM_WORLD); /* MARK barrier */
	if (argc > 3 && rank == atoi(argv[3]))
		end_badly(argv[2]);
	if (rank == 0)
		printf("total %d\n", total);
	if (argc > 2 && ((!strcmp(argv[2], "hang") && rank == 0) || (!strcmp(argv[2], "cycle") && rank < 2)))
		MPI_Recv(&n, 1, MPI_INT, 1 - rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return n == 0;
}
