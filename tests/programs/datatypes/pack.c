/* Packed messages: packed on one side, unpacked or received as what they are on the other. */
#include "expect.h"

int main(int argc, char **argv)
{
	char buf[256];
	int n, count, at;
	double d[3];
	MPI_Status st;

	Init(&argc, &argv);
	if (rank > 0) {
		for (int i = 0; i < 5; i++) {
			at = 0;
			n = i % 3 + 1;
			d[0] = rank;
			d[n - 1] = rank + i;
			MPI_Pack(&n, 1, MPI_INT, buf, sizeof buf, &at, WORLD);
			MPI_Pack(d, n, MPI_DOUBLE, buf, sizeof buf, &at, WORLD);
			linger(200);
			Send(buf, at, MPI_PACKED, 0, i, WORLD);
		}
		n = rank;
		Send(&n, 1, MPI_INT, 0, 9, WORLD);
	} else {
		for (int i = 0; i < 6 * (size - 1); i++) {
			Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
			if (st.MPI_TAG == 9) { /* packed data may be sent as what they are, and taken packed */
				Recv(buf, sizeof buf, MPI_PACKED, st.MPI_SOURCE, 9, WORLD, &st);
				at = 0;
				MPI_Unpack(buf, sizeof buf, &at, &n, 1, MPI_INT, WORLD);
				CHECK(n == st.MPI_SOURCE);
				continue;
			}
			Recv(buf, sizeof buf, MPI_PACKED, st.MPI_SOURCE, st.MPI_TAG, WORLD, &st);
			count = at = 0;
			MPI_Unpack(buf, sizeof buf, &at, &count, 1, MPI_INT, WORLD);
			MPI_Unpack(buf, sizeof buf, &at, d, count, MPI_DOUBLE, WORLD);
			CHECK(count == st.MPI_TAG % 3 + 1 && d[count - 1] == st.MPI_SOURCE + st.MPI_TAG);
			out("%d doubles from %d", count, st.MPI_SOURCE);
		}
	}
	Finalize();
	return 0;
}
