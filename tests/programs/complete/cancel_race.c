/* Whether the cancellation or the message comes first is the race; the program goes on accordingly. */
#include "expect.h"

#define TURNS 20

int main(int argc, char **argv)
{
	MPI_Status st;
	MPI_Request r;

	Init(&argc, &argv);
	for (int i = 0; i < TURNS; i++) {
		int v = i, yes;
		if (rank == 0) {
			Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r);
			linger(60);
			Cancel(&r);
			Wait(&r, &st);
			MPI_Test_cancelled(&st, &yes);
			out("turn %d: %s", i, yes ? "cancelled" : "received");
			if (yes)
				Recv(&v, 1, MPI_INT, 1, 1, WORLD, &st);
			CHECK(v == i);
			Send(&v, 1, MPI_INT, 1, 2, WORLD);
		} else if (rank == 1) {
			linger(60);
			Send(&v, 1, MPI_INT, 0, 1, WORLD);
			Recv(&v, 1, MPI_INT, 0, 2, WORLD, &st);
		}
	}
	Finalize();
	return 0;
}
