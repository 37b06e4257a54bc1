/* 100,000 small messages to one receiver that asks for anything; prints a hash of their order. */
#include "expect.h"

#define TOTAL 100000

int main(int argc, char **argv)
{
	MPI_Status st;

	Init(&argc, &argv);
	int each = TOTAL / (size - 1);
	if (rank == 0) {
		unsigned long hash = 0;
		int seen[64] = {0}, v;
		for (int i = 0; i < each * (size - 1); i++) {
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &st);
			CHECK(v == seen[st.MPI_SOURCE]++);
			hash = hash * 31 + (unsigned)st.MPI_SOURCE;
			if (seen[st.MPI_SOURCE] % 1000 == 0) /* a word back, so that nobody runs far ahead */
				MPI_Send(NULL, 0, MPI_INT, st.MPI_SOURCE, 1, WORLD);
		}
		out("order %lx", hash);
	} else {
		for (int i = 0; i < each; i++) {
			MPI_Send(&i, 1, MPI_INT, 0, 0, WORLD);
			if ((i + 1) % 1000 == 0)
				MPI_Recv(NULL, 0, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
		}
	}
	Finalize();
	return 0;
}
