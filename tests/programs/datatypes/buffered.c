/* Buffered sends: the buffer is filled, detached (which waits until it is empty) and attached again. */
#include "expect.h"

#define N 8

int main(int argc, char **argv)
{
	static char room[N * (400 + MPI_BSEND_OVERHEAD)];
	int v[100] = {0}, bytes, need;
	void *gone;
	MPI_Status st;
	MPI_Request r;

	Init(&argc, &argv);
	MPI_Pack_size(100, MPI_INT, WORLD, &need);
	CHECK(need <= 400);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	for (int turn = 0; turn < 3; turn++) {
		MPI_Buffer_attach(room, sizeof room);
		for (int i = 0; i < N; i++) {
			v[0] = v[99] = rank * 100 + i;
			if (i % 2) {
				Ibsend(v, 100, MPI_INT, next, turn, WORLD, &r);
				Wait(&r, &st);
			} else {
				Bsend(v, 100, MPI_INT, next, turn, WORLD);
			}
			v[0] = v[99] = -1; /* the message has been copied */
		}
		for (int i = 0; i < N; i++) {
			Recv(v, 100, MPI_INT, MPI_ANY_SOURCE, turn, WORLD, &st);
			CHECK(v[99] == prev * 100 + i);
		}
		MPI_Buffer_detach(&gone, &bytes);
		expect("MPI_Buffer_detach()");
		CHECK(gone == room && bytes == sizeof room);
	}
	Finalize();
	return 0;
}
