/* Partitioned communication passes through: a send marked ready piece by piece, polled at the other side. */
#include "expect.h"

#define PARTS 4

int main(int argc, char **argv)
{
	double v[PARTS * 10];
	MPI_Request r;

	Init(&argc, &argv);
	if (rank == 0) {
		MPI_Psend_init(v, PARTS, 10, MPI_DOUBLE, 1, 1, WORLD, MPI_INFO_NULL, &r);
		for (int turn = 0; turn < 3; turn++) {
			MPI_Start(&r);
			for (int i = PARTS - 1; i >= 0; i--) {
				for (int k = 0; k < 10; k++)
					v[i * 10 + k] = turn + i;
				MPI_Pready(i, r);
			}
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		}
	} else {
		MPI_Precv_init(v, PARTS, 10, MPI_DOUBLE, 0, 1, WORLD, MPI_INFO_NULL, &r);
		for (int turn = 0; turn < 3; turn++) {
			MPI_Start(&r);
			MPI_Wait(&r, MPI_STATUS_IGNORE);
			for (int i = 0; i < PARTS * 10; i++)
				CHECK(v[i] == turn + i / 10);
			out("turn %d", turn);
		}
	}
	MPI_Request_free(&r);
	Finalize();
	return 0;
}
