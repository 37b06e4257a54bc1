/* A pipeline: item k, with tag k, goes from each process to the next one. */
#include "job.h"

enum { ITEMS = 5 };

static void pass(int item, int to) { MPI_Send(&item, 1, MPI_INT, to, item, MPI_COMM_WORLD); }

static void stage(int item)
{
	int last = size - 1, dropped = makes("lost") && item == 3;
	if (rank && !(dropped && rank > 1))
		MPI_Recv(&item, 1, MPI_INT, makes("skip") && item == 2 && rank == last ? 1 : rank - 1, item,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (makes("crash") && rank == 2 && item == 3)
		crash();
	if (makes("lost") && rank == 1 && item == 3)
		return;
	if (rank < last && !(dropped && rank > 1))
		pass(item, makes("skip") && item == 2 && rank == 1 ? last : rank + 1);
	if (makes("twice") && rank == 2 && item == 4)
		pass(item, last);
	if (makes("twice") && rank == last && item == 4)
		MPI_Recv(&item, 1, MPI_INT, rank - 1, item, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	for (int item = 0; item < ITEMS; item++)
		if (!(makes("skip") && item == 2 && rank == 2))
			stage(item);
	MPI_Finalize();
	return 0;
}
