/* A token goes around a ring, with tag 1; who has it is in the critical section now and then. */
#include <hbdb/event.h>

#include "job.h"

enum { TOKEN = 1 };
enum { ROUNDS = 2 };

static void give(int to) { MPI_Send(&rank, 1, MPI_INT, to, TOKEN, MPI_COMM_WORLD); }

static void take(int from)
{
	int token;
	MPI_Recv(&token, 1, MPI_INT, from, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void critical(void)
{
	hb_begin("critical");
	if (makes("crash"))
		crash();
	if (makes("kept"))
		wait_for_ever();
	hb_end("critical");
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	for (int round = 0; round < ROUNDS; round++) {
		int strange = round == 1;
		if (makes("without") && strange && rank == 2)
			critical();
		if (rank)
			take(before);
		if (strange && rank == 1)
			critical();
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
