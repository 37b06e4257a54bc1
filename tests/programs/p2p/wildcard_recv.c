/* Rank 0 takes what comes first: source and tag are the choice. */
#include "expect.h"

#define EACH 20

int main(int argc, char **argv)
{
	int value;
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		int last[64] = {0};
		for (int i = 0; i < EACH * (size - 1); i++) {
			Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
			CHECK(value == st.MPI_SOURCE * 1000 + st.MPI_TAG);
			CHECK(st.MPI_TAG == last[st.MPI_SOURCE] + 1);
			last[st.MPI_SOURCE] = st.MPI_TAG;
			out("%d from %d", st.MPI_TAG, st.MPI_SOURCE);
		}
	} else {
		for (int tag = 1; tag <= EACH; tag++) {
			value = rank * 1000 + tag;
			linger(300);
			Send(&value, 1, MPI_INT, 0, tag, WORLD);
		}
	}
	Finalize();
	return 0;
}
