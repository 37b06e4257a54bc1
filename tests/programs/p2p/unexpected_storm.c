/* Hundreds of messages lie there before the first receive; they are taken from the last tag to the first. */
#include "expect.h"

#define EACH 200

int main(int argc, char **argv)
{
	int v;
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 1; i < size; i++) /* the last message of each is here */
			Recv(&v, 1, MPI_INT, i, EACH, WORLD, &st);
		for (int tag = EACH - 1; tag >= 0; tag--)
			for (int i = 1; i < size; i++) {
				Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, tag, WORLD, &st);
				CHECK(v == st.MPI_SOURCE * 1000 + tag);
				if (tag % 50 == 0)
					out("tag %d from %d", tag, st.MPI_SOURCE);
			}
	} else {
		for (int tag = 0; tag <= EACH; tag++)
			Send((v = rank * 1000 + tag, &v), 1, MPI_INT, 0, tag, WORLD);
	}
	Finalize();
	return 0;
}
