/* Two-phase commit: process 0 asks all others to prepare a transaction, collects their votes and tells them what was decided. What
 * a message is stands in it: the transaction and a word. */
#include "job.h"

enum { PREPARE = 1, YES, NO, COMMIT, ABORT };
enum { TRANSACTIONS = 3 };
struct letter {
	int transaction, word;
};

static void say(int to, int transaction, int word)
{
	struct letter letter = {transaction, word};
	MPI_Send(&letter, 2, MPI_INT, to, 7, MPI_COMM_WORLD);
}

static int hear(int from)
{
	struct letter letter;
	MPI_Recv(&letter, 2, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return letter.word;
}

static void coordinate(int x)
{
	int all = 1;
	for (int p = 1; p < size; p++)
		say(p, x, PREPARE);
	if (makes("early") && x == 1) /* decides before it has heard all */
		for (int p = 1; p < size; p++)
			say(p, x, COMMIT);
	struct letter vote[8]; /* several messages that one call completes */
	MPI_Request request[8];
	for (int p = 1; p < size; p++)
		MPI_Irecv(&vote[p], 2, MPI_INT, p, 7, MPI_COMM_WORLD, &request[p]);
	MPI_Waitall(size - 1, request + 1, MPI_STATUSES_IGNORE);
	for (int p = 1; p < size; p++)
		all &= vote[p].word == YES;
	if (makes("early") && x == 1)
		return;
	if (makes("silent") && x == 1)
		wait_for_ever();
	for (int p = 1; p < size; p++)
		say(p, x, makes("both") && x == 2 && p == 2 ? COMMIT : all ? COMMIT : ABORT);
}

static void take_part(int x)
{
	hear(0);
	if (makes("crash") && x == 1 && rank == 2)
		crash();
	say(0, x, x == 2 && rank == 1 ? NO : YES);
	hear(0);
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
