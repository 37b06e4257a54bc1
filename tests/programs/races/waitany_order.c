/* No wildcard anywhere: which of several named senders is first makes the result. */
#include "expect.h"

#define TURNS 10

int main(int argc, char **argv)
{
	int v[64], i;
	MPI_Request r[64];
	MPI_Status st;
	double x = 1;

	Init(&argc, &argv);
	for (int turn = 0; turn < TURNS; turn++) {
		if (rank == 0) {
			for (i = 1; i < size; i++)
				Irecv(&v[i - 1], 1, MPI_INT, i, turn, WORLD, &r[i - 1]);
			for (int n = 1; n < size; n++) {
				Waitany(size - 1, r, &i, &st);
				CHECK(v[i] == i + 1);
				x = x * 1.5 + v[i];
			}
		} else {
			linger(200);
			Send(&rank, 1, MPI_INT, 0, turn, WORLD);
		}
	}
	if (rank == 0)
		out("%.6f", x);
	Finalize();
	return 0;
}
