/* Matched probes: the message is taken out and received later, in another order, blocking or not. */
#include "expect.h"

#define EACH 4

int main(int argc, char **argv)
{
	int v;
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		int n = EACH * (size - 1), number[64];
		MPI_Message m[64];
		MPI_Status probed[64];
		MPI_Request r;
		for (int i = 0; i < n; i++) {
			Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &m[i], &probed[i], &number[i]);
			out("taken: tag %d from %d", probed[i].MPI_TAG, probed[i].MPI_SOURCE);
		}
		for (int i = n - 1; i >= 0; i--) {
			if (i % 2) {
				Mrecv(&v, 1, MPI_INT, &m[i], number[i], &st);
			} else {
				Imrecv(&v, 1, MPI_INT, &m[i], number[i], &probed[i], &r);
				Wait(&r, &st);
			}
			CHECK(m[i] == MPI_MESSAGE_NULL && v == probed[i].MPI_SOURCE * 10 + probed[i].MPI_TAG);
		}
	} else {
		for (int i = 0; i < EACH; i++) {
			v = rank * 10 + i;
			linger(300);
			Send(&v, 1, MPI_INT, 0, i, WORLD);
		}
	}
	Finalize();
	return 0;
}
