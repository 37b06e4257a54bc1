/* Partitions are read as soon as each has arrived, before the rest is there. */
#include "expect.h"

#define PARTS 4
#define EACH 5

static void check(const int *v, int part, int turn)
{
	for (int k = 0; k < EACH; k++)
		CHECK(v[part * EACH + k] == turn * 1000 + part * EACH + k);
}

int main(int argc, char **argv)
{
	int v[PARTS * EACH];
	MPI_Request r;

	Init(&argc, &argv);
	if (rank == 0) {
		MPI_Psend_init(v, PARTS, EACH, MPI_INT, 1, 1, WORLD, MPI_INFO_NULL, &r);
		for (int turn = 0; turn < 3; turn++) {
			MPI_Start(&r);
			for (int part = PARTS - 1; part >= 0; part--) {
				for (int k = 0; k < EACH; k++)
					v[part * EACH + k] = turn * 1000 + part * EACH + k;
				MPI_Pready(part, r);
			}
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		}
	} else {
		MPI_Precv_init(v, PARTS, EACH, MPI_INT, 0, 1, WORLD, MPI_INFO_NULL, &r);
		for (int turn = 0; turn < 3; turn++) {
			MPI_Start(&r);
			for (int part = PARTS - 1; part >= 0; part--) {
				int there = 0;
				while (!there)
					MPI_Parrived(r, part, &there);
				check(v, part, turn);
			}
			MPI_Wait(&r, MPI_STATUS_IGNORE);
			out("turn %d", turn);
		}
	}
	MPI_Request_free(&r);
	Finalize();
	return 0;
}
