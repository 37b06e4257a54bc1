/* The four nonblocking sends, completed out of order. */
#include "expect.h"

static char room[4096];

int main(int argc, char **argv)
{
	int v[4], in[4], bytes;
	void *gone;
	MPI_Request s[4], r[4];
	MPI_Status st, sts[4];

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	MPI_Buffer_attach(room, sizeof room);
	for (int i = 0; i < 4; i++) {
		v[i] = rank * 10 + i;
		Irecv(&in[i], 1, MPI_INT, prev, i, WORLD, &r[i]);
	}
	Sendrecv(NULL, 0, MPI_INT, prev, 9, NULL, 0, next, 9, WORLD, &st); /* next has posted: Irsend may go */
	Isend(&v[0], 1, MPI_INT, next, 0, WORLD, &s[0]);
	Issend(&v[1], 1, MPI_INT, next, 1, WORLD, &s[1]);
	Irsend(&v[2], 1, MPI_INT, next, 2, WORLD, &s[2]);
	Ibsend(&v[3], 1, MPI_INT, next, 3, WORLD, &s[3]);
	Wait(&s[2], &st);
	Wait(&s[3], &st);
	Waitall(4, r, sts);
	Wait(&s[1], &st);
	Wait(&s[0], &st);
	for (int i = 0; i < 4; i++)
		CHECK(in[i] == prev * 10 + i && s[i] == MPI_REQUEST_NULL && r[i] == MPI_REQUEST_NULL);
	MPI_Buffer_detach(&gone, &bytes);
	expect("MPI_Buffer_detach()");
	Finalize();
	return 0;
}
