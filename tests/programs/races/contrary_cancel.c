/* A receive that was cancelled before its message was sent; in a replay the message is there before, and the receive is polled. */
#include "races/contrary.h"

#define POLLS 512

int main(int argc, char **argv)
{
	enum { SENT, CANCELLED };
	int v = 0, flag = 0, cancelled = 0;
	MPI_Request r;
	MPI_Status st;

	Init(&argc, &argv);
	contrary_begin(2);
	if (rank == 0) {
		MPI_Irecv(&v, 1, MPI_INT, 1, 5, WORLD, &r);
		if (replayed())
			await_flag(SENT);
		for (int i = 0; i < POLLS && !flag; i++)
			MPI_Test(&r, &flag, &st);
		CHECK(!flag && v == 0);
		MPI_Cancel(&r);
		MPI_Wait(&r, &st);
		MPI_Test_cancelled(&st, &cancelled);
		raise_flag(CANCELLED);
		out("cancelled %d, %d", cancelled, v);
		MPI_Recv(&v, 1, MPI_INT, 1, 5, WORLD, &st);
		out("%d", v);
	} else {
		v = 7;
		if (!replayed())
			await_flag(CANCELLED);
		MPI_Send(&v, 1, MPI_INT, 0, 5, WORLD);
		raise_flag(SENT);
	}
	contrary_end();
	Finalize();
	return 0;
}
