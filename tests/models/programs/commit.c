/* Two-phase commit: process 0 asks all others to prepare a transaction, collects their votes and tells them what was decided. The
 * tag is 4 * transaction, and what the message is. */
#include <hbdb/event.h>

#include "job.h"

enum { PREPARE, YES, NO, DECIDE };
enum { TRANSACTIONS = 3 };

static void say(int to, int transaction, int what, int value)
{
	MPI_Send(&value, 1, MPI_INT, to, 4 * transaction + what, MPI_COMM_WORLD);
}

static int hear(int from, int *ret_what)
{
	int value;
	MPI_Status status;
	MPI_Recv(&value, 1, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	*ret_what = status.MPI_TAG % 4;
	return value;
}

static void coordinate(int x)
{
	int all = 1, what, early = makes("early") && x == 1;
	for (int p = 1; p < size; p++)
		say(p, x, PREPARE, 0);
	if (early) /* decides before it has heard all */
		for (int p = 1; p < size; p++)
			say(p, x, DECIDE, 1);
	for (int p = 1; p < size; p++) {
		hear(p, &what);
		all &= what == YES;
	}
	if (makes("silent") && x == 1)
		wait_for_ever();
	for (int p = 1; p < size && !early; p++)
		say(p, x, DECIDE, all);
}

static void take_part(int x)
{
	int what;
	hear(0, &what);
	say(0, x, x == 2 && rank == 1 ? NO : YES, 0);
	int commits = hear(0, &what) || (makes("stubborn") && x == 2 && rank == 2);
	const char *action = commits ? "commit" : "abort";
	HB_BEGIN(action, hb_integer("transaction", x));
	if (makes("crash") && x == 1 && rank == 2)
		crash();
	hb_end(action);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	for (int x = 0; x < TRANSACTIONS; x++)
		if (rank)
			take_part(x);
		else
			coordinate(x);
	MPI_Finalize();
	return 0;
}
