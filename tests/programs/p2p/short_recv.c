/* Receives with more room than the message needs: how much came is an answer, even without a wildcard. */
#include "expect.h"

int main(int argc, char **argv)
{
	char buf[1000] = {0};
	MPI_Status st;
	MPI_Request r;

	Init(&argc, &argv);
	for (int i = 0; i < 12; i++) {
		int n = rank == 0 ? 0 : 1 + (i * 37 + rank) % 400;
		if (rank > 0) {
			memset(buf, 'a' + i, (size_t)n);
			Send(buf, n, MPI_CHAR, 0, i, WORLD);
			continue;
		}
		for (int from = 1; from < size; from++) {
			if (i % 2)
				Recv(buf, sizeof buf, MPI_CHAR, from, i, WORLD, &st);
			else {
				Irecv(buf, sizeof buf, MPI_CHAR, from, i, WORLD, &r);
				Wait(&r, &st);
			}
			n = (int)status_bytes(&st);
			CHECK(n == 1 + (i * 37 + from) % 400 && buf[n - 1] == 'a' + i);
			out("%d bytes from %d", n, from);
		}
	}
	Finalize();
	return 0;
}
