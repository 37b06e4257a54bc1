/* A server that looks, does something else, looks again: how often it looked is printed. */
#include "expect.h"

#define EACH 8

int main(int argc, char **argv)
{
	int v;
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		long no = 0;
		for (int i = 0; i < EACH * (size - 1);) {
			if (!Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st)) {
				no++;
				continue;
			}
			Recv(&v, 1, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, WORLD, &st);
			CHECK(v == st.MPI_SOURCE * 10 + st.MPI_TAG);
			out("%d after %ld times no", v, no);
			i++;
		}
	} else {
		for (int i = 0; i < EACH; i++) {
			v = rank * 10 + i;
			linger(500);
			Send(&v, 1, MPI_INT, 0, i, WORLD);
		}
	}
	Finalize();
	return 0;
}
