/* A value goes round in one buffer; some turns come from anybody. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v[2];
	MPI_Status st;

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	v[0] = rank;
	v[1] = -rank;
	for (int i = 1; i <= size; i++) {
		Sendrecv_replace(v, 2, MPI_INT, next, 7, prev, 7, WORLD, &st);
		CHECK(v[0] == (rank + size - i) % size && v[1] == -v[0]);
	}
	for (int i = 0; i < 10; i++) {
		v[0] = rank;
		linger(200);
		Sendrecv_replace(v, 1, MPI_INT, (rank + i) % size, 8, MPI_ANY_SOURCE, 8, WORLD, &st);
		CHECK(v[0] == st.MPI_SOURCE && st.MPI_TAG == 8);
		out("turn %d from %d", i, v[0]);
	}
	v[0] = 5;
	Sendrecv_replace(v, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_PROC_NULL, 9, WORLD, &st);
	CHECK(v[0] == 5 && st.MPI_SOURCE == MPI_PROC_NULL);
	Finalize();
	return 0;
}
