/* Jobs over a channel of the program's own, from process 0 to all others, round by round with a barrier behind each. */
#include <hbdb/event.h>

#include "job.h"

enum { ROUNDS = 3 };

static void put(int number, int to)
{
	hb_sent("jobs", number, sizeof number);
	MPI_Send(&number, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

static void take(int expected)
{
	int number;
	MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!(makes("lost") && rank == 3 && expected == 1))
		hb_received("jobs", number, sizeof number);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	for (int round = 0; round < ROUNDS; round++) {
		int number = round * size;
		for (int p = 1; p < size && !rank; p++)
			put(number + (makes("swapped") && round == 1 ? size - p : p), p);
		if (rank)
			take(round);
		if (makes("alone") && round == 2 && rank == 2)
			wait_for_ever();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
