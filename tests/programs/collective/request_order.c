/* Several reductions in the air, tested in turn: which is finished first, and after how many looks, is printed. */
#include "expect_coll.h"

#define N 6

int main(int argc, char **argv)
{
	int in[N], got[N];
	MPI_Request r[N];
	MPI_Status st;
	long no = 0;

	Init(&argc, &argv);
	for (int i = 0; i < N; i++) {
		in[i] = rank + i;
		linger(100);
		Iallreduce(&in[i], &got[i], 1, MPI_INT, MPI_SUM, WORLD, &r[i]);
	}
	for (int left = N, i = N - 1; left > 0; i = (i + N - 1) % N) {
		if (r[i] == MPI_REQUEST_NULL)
			continue;
		if (!Test(&r[i], &st)) {
			no++;
			continue;
		}
		CHECK(got[i] == size * (size - 1) / 2 + size * i);
		out("sum %d after %ld", i, no);
		left--;
	}
	Finalize();
	return 0;
}
