/* One sender, many tags: what is taken in another order than it came, and by which tag. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v, *upper, found, order[6] = {4, 2, 5, 1, 3, 0};
	MPI_Status st;

	Init(&argc, &argv);
	MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &upper, &found);
	CHECK(found && *upper >= 32767);
	if (rank > 0) {
		for (int tag = 0; tag < 6; tag++)
			Send((v = rank * 10 + tag, &v), 1, MPI_INT, 0, tag, WORLD);
		for (int tag = 10; tag < 16; tag++) {
			v = rank * 100 + tag;
			linger(100);
			Send(&v, 1, MPI_INT, 0, tag, WORLD);
		}
		Send(&v, 1, MPI_INT, 0, 32767, WORLD);
	} else {
		for (int from = 1; from < size; from++) {
			for (int i = 0; i < 6; i++) {
				Recv(&v, 1, MPI_INT, from, order[i], WORLD, &st);
				CHECK(v == from * 10 + order[i]);
			}
			for (int i = 10; i < 16; i++) { /* the same sender cannot overtake itself */
				Recv(&v, 1, MPI_INT, from, MPI_ANY_TAG, WORLD, &st);
				CHECK(st.MPI_TAG == i && v == from * 100 + i);
				out("tag %d from %d", st.MPI_TAG, from);
			}
			Recv(&v, 1, MPI_INT, from, 32767, WORLD, &st);
		}
	}
	Finalize();
	return 0;
}
