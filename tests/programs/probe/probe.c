/* Probe for anything, then receive exactly that. */
#include "expect.h"

#define EACH 10

int main(int argc, char **argv)
{
	int buf[EACH], n;
	MPI_Status st, again;

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < EACH * (size - 1); i++) {
			Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
			MPI_Get_count(&st, MPI_INT, &n);
			CHECK(n == st.MPI_TAG);
			Recv(buf, n, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, WORLD, &again);
			CHECK(buf[n - 1] == st.MPI_SOURCE);
			out("%d ints from %d", n, st.MPI_SOURCE);
		}
	} else {
		for (int i = 0; i < EACH; i++)
			buf[i] = rank;
		for (int i = 1; i <= EACH; i++) {
			linger(300);
			Send(buf, i, MPI_INT, 0, i, WORLD);
		}
	}
	Finalize();
	return 0;
}
