/* Persistent wildcard receives polled by Testsome and Test; inactive ones stay in the array. */
#include "expect.h"

#define N 5

int main(int argc, char **argv)
{
	int v[N], done, which[N];
	MPI_Request r[N];
	MPI_Status st, sts[N];

	Init(&argc, &argv);
	if (rank == 0) {
		long no = 0;
		for (int i = 0; i < N; i++)
			Recv_init(&v[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r[i]);
		for (int turn = 0; turn < 3; turn++) {
			Startall(N, r);
			for (int left = N - 1; left > 0;) {
				if (!Testsome(N - 1, r, &done, which, sts)) {
					no++;
					continue;
				}
				for (int k = 0; k < done; k++)
					out("turn %d request %d from %d after %ld", turn, which[k], sts[k].MPI_SOURCE,
						no);
				left -= done;
			}
			CHECK(Testsome(N - 1, r, &done, which, sts) && done == MPI_UNDEFINED);
			while (!Test(&r[N - 1], &st))
				no++;
			out("turn %d last from %d", turn, st.MPI_SOURCE);
			for (int i = 1; i < size; i++)
				Send(NULL, 0, MPI_INT, i, 2, WORLD);
		}
		for (int i = 0; i < N; i++)
			Request_free(&r[i]);
	} else {
		for (int turn = 0; turn < 3; turn++) {
			for (int i = rank - 1; i < N; i += size - 1) {
				linger(300);
				Send(&rank, 1, MPI_INT, 0, 1, WORLD);
			}
			Recv(NULL, 0, MPI_INT, 0, 2, WORLD, &st);
		}
	}
	Finalize();
	return 0;
}
