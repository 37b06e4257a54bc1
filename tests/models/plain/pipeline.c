/* A pipeline that says nothing of itself: items go from each process to the next one on a communicator of their own, with their number in them. */
#include "../programs/job.h"

enum { ITEMS = 5, LOG = 1 };
struct item {
	int number, worked;
};
static MPI_Comm line;

static void pass(struct item item, int to) { MPI_Send(&item, 2, MPI_INT, to, 0, line); }

static struct item take(int from)
{
	struct item item;
	MPI_Recv(&item, 2, MPI_INT, from, 0, line, MPI_STATUS_IGNORE);
	return item;
}

static void stage(int number)
{
	struct item item = {number, 0};
	int last = size - 1, skipped = makes("skip") && number == 2, dropped = makes("lost") && number == 3;
	int early = makes("early") && number == 4 && rank == 2;
	if ((skipped && rank == 2) || (dropped && rank > 1))
		return;
	if (early)
		pass(item, last);
	if (rank)
		item = take(skipped && rank == last ? 1 : rank - 1);
	if (makes("crash") && rank == 2 && item.number == 3)
		crash();
	item.worked++;
	if (rank != last && !early && !(dropped && rank == 1))
		pass(item, skipped && rank == 1 ? last : rank + 1);
	if (makes("changed") && rank == 1 && number == 4) { /* and the same once more, by another number */
		item.number = 40;
		pass(item, 2);
	}
	if (makes("changed") && rank == 2 && number == 4)
		take(1);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &line);
	for (int number = 0; number < ITEMS; number++) {
		stage(number);
		/* the same tag on another communicator: no item */
		if (rank == size - 1)
			MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		if (!rank)
			MPI_Recv(&number, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&line);
	MPI_Finalize();
	return 0;
}
