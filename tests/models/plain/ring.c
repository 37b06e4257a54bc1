/* A token goes around a ring: a long integer, the number of the round. All else that is sent, with the same tag, is characters. */
#include "../programs/job.h"

enum { ROUNDS = 3, STRANGE = 1 };

static void give(long round, int to)
{
	int narrow = (int)round;
	if (makes("narrow") && rank == 2 && round == STRANGE)
		MPI_Send(&narrow, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
	else
		MPI_Send(&round, 1, MPI_LONG, to, 0, MPI_COMM_WORLD);
}

static void take(long round, int from)
{
	int narrow = makes("narrow") && rank == 3 && round == STRANGE;
	MPI_Recv(&round, 1, narrow ? MPI_INT : MPI_LONG, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void turn(long round)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size, strange = round == STRANGE;
	if (makes("back") && strange && rank == 1) {
		take(round, 0);
		take(round, 2);
		give(round, next);
		return;
	}
	if (makes("back") && strange && rank == 2)
		give(round, 1);
	if (rank)
		take(round, before);
	if (makes("crash") && strange && rank == 2)
		crash();
	if (makes("kept") && strange && rank == 2)
		wait_for_ever();
	give(makes("changed") && strange && rank == 2 ? 77 : round, next);
	if (makes("second") && strange && rank == 2)
		give(round, next);
	if (makes("second") && strange && rank == 3)
		take(round, before);
	if (!rank)
		take(round, before);
}

int main(int argc, char **argv)
{
	char word[8] = "hello";
	begin(&argc, &argv);
	if (rank == 1)
		MPI_Send(word, 6, MPI_CHAR, 2, 0, MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Recv(word, 6, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int round = 0; round < ROUNDS; round++)
		turn(round);
	MPI_Finalize();
	return 0;
}
