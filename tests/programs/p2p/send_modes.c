/* The four blocking sends, from each rank to the next. */
#include "expect.h"

static char room[4096];

int main(int argc, char **argv)
{
	int next, prev, in = -1, out_value;
	void *gone;
	int bytes;
	MPI_Status st;

	Init(&argc, &argv);
	next = (rank + 1) % size;
	prev = (rank + size - 1) % size;
	MPI_Buffer_attach(room, sizeof room);
	out_value = 100 + rank;
	for (int turn = 0; turn < 2; turn++) {
		/* even ranks send first, so that Ssend finds its receive */
		if (rank % 2 == turn) {
			Send(&out_value, 1, MPI_INT, next, 1, WORLD);
			Ssend(&out_value, 1, MPI_INT, next, 2, WORLD);
			Bsend(&out_value, 1, MPI_INT, next, 3, WORLD);
		} else if (prev % 2 == turn) {
			for (int tag = 1; tag <= 3; tag++) {
				Recv(&in, 1, MPI_INT, prev, tag, WORLD, &st);
				CHECK(in == 100 + prev && st.MPI_TAG == tag);
			}
		}
	}
	/* a ready send needs the receive to be there: a word back says that it is */
	MPI_Request r;
	Irecv(&in, 1, MPI_INT, prev, 4, WORLD, &r);
	Send(NULL, 0, MPI_INT, prev, 5, WORLD);
	Recv(NULL, 0, MPI_INT, next, 5, WORLD, &st);
	Rsend(&out_value, 1, MPI_INT, next, 4, WORLD);
	Wait(&r, &st);
	CHECK(in == 100 + prev);
	MPI_Buffer_detach(&gone, &bytes);
	expect("MPI_Buffer_detach()");
	CHECK(gone == room && bytes == sizeof room);
	Finalize();
	return 0;
}
