/* A pipeline: item k, with tag k, goes from each process to the next one, and is worked on at each but the first. */
#include <hbdb/event.h>

#include "job.h"

enum { ITEMS = 5 };

static void pass(int item, int to) { MPI_Send(&item, 1, MPI_INT, to, item, MPI_COMM_WORLD); }

static void take(int item, int from) { MPI_Recv(&item, 1, MPI_INT, from, item, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void action(const char *name, int item)
{
	HB_BEGIN(name, hb_integer("item", item));
	if (makes("crash") && rank == 2 && item == 3)
		crash();
	hb_end(name);
}

static void stage(int item)
{
	int last = size - 1, dropped = makes("lost") && item == 3, skipped = makes("skip") && item == 2;
	if ((skipped && rank == 2) || (dropped && rank > 1))
		return;
	if (rank)
		take(item, skipped && rank == last ? 1 : rank - 1);
	action(rank ? "work" : "read", item);
	if (rank == last)
		action("write", item);
	else if (!(dropped && rank == 1))
		pass(item, skipped && rank == 1 ? last : rank + 1);
	if (makes("twice") && item == 4 && rank == 2)
		pass(item, last);
	if (makes("twice") && item == 4 && rank == last)
		take(item, 2);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	for (int item = 0; item < ITEMS; item++)
		stage(item);
	MPI_Finalize();
	return 0;
}
