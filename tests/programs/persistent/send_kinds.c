/* Persistent requests of all four sends, started several times, singly and together. */
#include "expect.h"

static char room[8192];

int main(int argc, char **argv)
{
	int v[4], in[4], bytes;
	void *gone;
	MPI_Request s[4], r[4];
	MPI_Status st, sts[4];

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	MPI_Buffer_attach(room, sizeof room);
	Send_init(&v[0], 1, MPI_INT, next, 0, WORLD, &s[0]);
	Ssend_init(&v[1], 1, MPI_INT, next, 1, WORLD, &s[1]);
	Rsend_init(&v[2], 1, MPI_INT, next, 2, WORLD, &s[2]);
	Bsend_init(&v[3], 1, MPI_INT, next, 3, WORLD, &s[3]);
	for (int i = 0; i < 4; i++)
		Recv_init(&in[i], 1, MPI_INT, prev, i, WORLD, &r[i]);
	for (int turn = 0; turn < 5; turn++) {
		Startall(4, r);
		Sendrecv(NULL, 0, MPI_INT, prev, 9, NULL, 0, next, 9, WORLD, &st); /* next is ready */
		for (int i = 0; i < 4; i++)
			v[i] = rank * 100 + turn * 10 + i;
		if (turn % 2) {
			Startall(4, s);
		} else {
			for (int i = 3; i >= 0; i--)
				Start(&s[i]);
		}
		Waitall(4, r, sts);
		Waitall(4, s, sts);
		for (int i = 0; i < 4; i++)
			CHECK(in[i] == prev * 100 + turn * 10 + i);
	}
	for (int i = 0; i < 4; i++) {
		Request_free(&s[i]);
		Request_free(&r[3 - i]);
	}
	MPI_Buffer_detach(&gone, &bytes);
	expect("MPI_Buffer_detach()");
	Finalize();
	return 0;
}
