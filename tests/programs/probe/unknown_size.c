/* Sizes are learnt from the probe; long ones go by rendezvous. */
#include "expect.h"

int main(int argc, char **argv)
{
	MPI_Status st, again;
	static const int sizes[] = {0, 1, 100, 5000, 70000, 300000};

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < 6 * (size - 1); i++) {
			Probe(MPI_ANY_SOURCE, 1, WORLD, &st);
			int n = (int)status_bytes(&st);
			char *buf = calloc(1, (size_t)n + 1);
			Recv(buf, n, MPI_BYTE, st.MPI_SOURCE, 1, WORLD, &again);
			CHECK(n == 0 || (buf[0] == st.MPI_SOURCE && buf[n - 1] == st.MPI_SOURCE));
			out("%d bytes from %d", n, st.MPI_SOURCE);
			free(buf);
		}
	} else {
		char *buf = malloc(300000);
		memset(buf, rank, 300000);
		for (int i = 0; i < 6; i++) {
			linger(200);
			Send(buf, sizes[(i + rank) % 6], MPI_BYTE, 0, 1, WORLD);
		}
		free(buf);
	}
	Finalize();
	return 0;
}
