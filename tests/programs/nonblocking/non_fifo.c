/* Many outstanding receives of different wildcards; replies are awaited out of order. */
#include "expect.h"

#define MANY 60

int main(int argc, char **argv)
{
	static int v[MANY];
	static MPI_Request r[MANY];
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		int each = MANY / 3 / (size - 1);
		/* a third by source, a third by tag, a third by nothing; every request can be fed in the end */
		for (int i = 0; i < each * (size - 1); i++) {
			Irecv(&v[3 * i], 1, MPI_INT, 1 + i % (size - 1), 1, WORLD, &r[3 * i]);
			Irecv(&v[3 * i + 1], 1, MPI_INT, MPI_ANY_SOURCE, 2, WORLD, &r[3 * i + 1]);
			Irecv(&v[3 * i + 2], 1, MPI_INT, MPI_ANY_SOURCE, 3, WORLD, &r[3 * i + 2]);
		}
		int n = 3 * each * (size - 1);
		for (int i = 0, k = 0; i < n; i++, k = (k + 7) % n) {
			while (r[k] == MPI_REQUEST_NULL)
				k = (k + 1) % n;
			Wait(&r[k], &st);
			CHECK(v[k] / 1000 == st.MPI_SOURCE && v[k] % 10 == st.MPI_TAG);
			out("request %d: %d", k, v[k]);
		}
	} else {
		int each = MANY / 3 / (size - 1);
		for (int i = 0; i < 3 * each; i++) {
			int w = rank * 1000 + i * 10 + 1 + i % 3;
			linger(100);
			Send(&w, 1, MPI_INT, 0, 1 + i % 3, WORLD);
		}
	}
	Finalize();
	return 0;
}
