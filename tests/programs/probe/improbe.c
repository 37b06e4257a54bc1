/* Improbe in a loop, by tag; each message goes into its own nonblocking receive. */
#include "expect.h"

#define EACH 4

int main(int argc, char **argv)
{
	int v[64], number;
	MPI_Status st, sts[64], probed;
	MPI_Message m;
	MPI_Request r[64];

	Init(&argc, &argv);
	if (rank == 0) {
		long no = 0;
		int n = 0, tag = 0;
		while (n < EACH * (size - 1)) {
			tag = (tag + 1) % EACH;
			if (!Improbe(MPI_ANY_SOURCE, tag, WORLD, &m, &probed, &number)) {
				no++;
				continue;
			}
			Imrecv(&v[n], 1, MPI_INT, &m, number, &probed, &r[n]);
			out("tag %d from %d after %ld times no", tag, probed.MPI_SOURCE, no);
			n++;
		}
		Waitall(n, r, sts);
		for (int i = 0; i < n; i++)
			CHECK(v[i] / 10 > 0 && v[i] / 10 < size);
	} else {
		for (int i = 0; i < EACH; i++) {
			int w = rank * 10 + i;
			linger(500);
			Send(&w, 1, MPI_INT, 0, i, WORLD);
		}
	}
	(void)st;
	Finalize();
	return 0;
}
