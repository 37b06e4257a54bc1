/* Handles are values: copies in other variables and arrays complete the same requests. */
#include "expect.h"

#define N 8

int main(int argc, char **argv)
{
	int v[N], index;
	MPI_Request made[N], kept[N];
	MPI_Status st, sts[N];

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < N; i++)
			Irecv(&v[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &made[i]);
		for (int i = 0; i < N; i++) { /* copied in reverse order */
			kept[N - 1 - i] = made[i];
			moved(&made[i], &kept[N - 1 - i]);
			made[i] = MPI_REQUEST_NULL;
		}
		for (int i = 0; i < N / 2; i++) {
			Waitany(N, kept, &index, &st);
			CHECK(v[N - 1 - index] == st.MPI_SOURCE * 10 + st.MPI_TAG);
			out("%d: %d", index, v[N - 1 - index]);
		}
		/* what is left moves once more, to the front of the first array */
		int left = 0;
		for (int i = 0; i < N; i++)
			if (kept[i] != MPI_REQUEST_NULL) {
				made[left] = kept[i];
				moved(&kept[i], &made[left++]);
			}
		CHECK(left == N / 2);
		Waitall(left, made, sts);
		for (int i = 0; i < left; i++)
			out("left: from %d", sts[i].MPI_SOURCE);
	} else {
		for (int i = rank - 1; i < N; i += size - 1) {
			int w = rank * 10 + i;
			linger(300);
			Send(&w, 1, MPI_INT, 0, i, WORLD);
		}
	}
	Finalize();
	return 0;
}
