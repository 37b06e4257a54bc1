/* An exchange with all neighbours by Isend and Irecv, polled; work depends on what is there. */
#include "expect.h"

#define TURNS 6

int main(int argc, char **argv)
{
	int v[64], which[128], done;
	MPI_Request r[128];
	MPI_Status sts[128];
	unsigned hash = 7;
	long no = 0;

	Init(&argc, &argv);
	for (int turn = 0; turn < TURNS; turn++) {
		int n = 0;
		for (int i = 0; i < size; i++)
			if (i != rank)
				Irecv(&v[n], 1, MPI_INT, i, turn, WORLD, &r[n]), n++;
		int receives = n;
		for (int i = 0; i < size; i++)
			if (i != rank) {
				linger(80);
				Isend(&rank, 1, MPI_INT, i, turn, WORLD, &r[n++]);
			}
		for (int left = n; left > 0;) {
			if (!Testsome(n, r, &done, which, sts)) {
				no++;
				continue;
			}
			for (int k = 0; k < done; k++)
				hash = hash * 31 + (unsigned)(which[k] < receives ? v[which[k]] : 100 + which[k]);
			left -= done;
		}
	}
	out("%x after %ld times no", hash, no);
	Finalize();
	return 0;
}
