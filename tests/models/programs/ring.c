/* A token goes around a ring, with tag 1. */
#include "job.h"

enum { TOKEN = 1 };
enum { ROUNDS = 2 };

static void give(int to) { MPI_Send(&rank, 1, MPI_INT, to, TOKEN, MPI_COMM_WORLD); }

static void take(int from)
{
	int token;
	MPI_Recv(&token, 1, MPI_INT, from, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	for (int round = 0; round < ROUNDS; round++) {
		int strange = round == 1;
		if (rank)
			take(before);
		if (makes("kept") && strange && rank == 1)
			wait_for_ever();
		if (makes("back") && strange && rank == 2) {
			give(1);
			take(1);
		}
		give(next);
		if (makes("back") && strange && rank == 1) {
			take(2);
			give(2);
		}
		if (makes("second") && strange && rank == 2)
			give(next);
		if (makes("second") && strange && rank == 3)
			take(before);
		if (!rank)
			take(before);
	}
	MPI_Finalize();
	return 0;
}
