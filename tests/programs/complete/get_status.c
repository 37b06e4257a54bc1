/* MPI_Request_get_status asks and leaves the request; how often it said no is printed. */
#include "expect.h"

#define N 6

int main(int argc, char **argv)
{
	int v[N];
	MPI_Request r[N];
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < N; i++)
			Irecv(&v[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[i]);
		for (int i = 0; i < N; i++) {
			long no = 0;
			while (!Request_get_status(&r[i], &st))
				no++;
			int seen = st.MPI_SOURCE;
			CHECK(r[i] != MPI_REQUEST_NULL);
			CHECK(Request_get_status(&r[i], &st) && st.MPI_SOURCE == seen);
			Wait(&r[i], &st);
			CHECK(st.MPI_SOURCE == seen && v[i] == seen);
			out("from %d after %ld times no", seen, no);
		}
	} else {
		for (int i = rank - 1; i < N; i += size - 1) {
			linger(400);
			Send(&rank, 1, MPI_INT, 0, i, WORLD);
		}
	}
	Finalize();
	return 0;
}
