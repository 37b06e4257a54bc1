/* A server polls two communicators and two tags; what it sees where decides what it does next. */
#include "expect_coll.h"

#define EACH 6

static int serve(MPI_Comm c, int tag, long *no)
{
	MPI_Status st;
	int v;
	if (!Iprobe(MPI_ANY_SOURCE, tag, c, &st)) {
		++*no;
		return 0;
	}
	Recv(&v, 1, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, c, &st);
	out("comm %s tag %d: %d after %ld", comm_name(c), st.MPI_TAG, v, *no);
	return 1;
}

int main(int argc, char **argv)
{
	MPI_Comm other;

	Init(&argc, &argv);
	Comm_dup(WORLD, &other);
	if (rank == 0) {
		long no = 0;
		for (int n = 0; n < EACH * (size - 1);) {
			n += serve(other, 1, &no);
			n += serve(other, 2, &no);
			n += serve(WORLD, 2, &no);
			n += serve(WORLD, MPI_ANY_TAG, &no);
		}
	} else {
		for (int i = 0; i < EACH; i++) {
			int v = rank * 100 + i;
			linger(300);
			Send(&v, 1, MPI_INT, 0, 1 + i % 2, i % 3 == 0 ? other : WORLD);
		}
	}
	MPI_Barrier(WORLD);
	expect("MPI_Barrier(comm=WORLD)");
	Comm_free(&other);
	Finalize();
	return 0;
}
