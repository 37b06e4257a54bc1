/* One array with sends, receives, a collective and null requests, completed by each of the array calls. */
#include "expect_coll.h"

#define N 6

static int v, w, sum, sent;

static void fill(MPI_Request *r, int turn)
{
	int next = (rank + 1) % size;
	Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, turn, WORLD, &r[0]);
	r[1] = MPI_REQUEST_NULL;
	Isend(&rank, 1, MPI_INT, next, turn, WORLD, &r[2]);
	Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, &r[3]);
	Irecv(&w, 1, MPI_INT, (rank + size - 1) % size, 100 + turn, WORLD, &r[4]);
	linger(200);
	sent = turn;
	Issend(&sent, 1, MPI_INT, next, 100 + turn, WORLD, &r[5]);
}

static void check(int turn)
{
	CHECK(v == (rank + size - 1) % size && w == turn && sum == size * (size - 1) / 2);
	v = w = sum = -1;
}

int main(int argc, char **argv)
{
	MPI_Request r[N];
	MPI_Status st, sts[N];
	int index, done, which[N];
	long no = 0;

	Init(&argc, &argv);
	fill(r, 0);
	Waitall(N, r, sts);
	check(0);
	fill(r, 1);
	for (int i = 0; i < N - 1; i++) {
		Waitany(N, r, &index, &st);
		out("any: %d", index);
	}
	check(1);
	fill(r, 2);
	for (int n = 0; n < N - 1; n += done) {
		Waitsome(N, r, &done, which, sts);
		for (int k = 0; k < done; k++)
			out("some: %d", which[k]);
	}
	check(2);
	fill(r, 3);
	while (!Testall(N, r, sts))
		no++;
	check(3);
	fill(r, 4);
	for (int n = 0; n < N - 1;)
		if (Testsome(N, r, &done, which, sts)) {
			out("%d after %ld", done, no);
			n += done;
		} else {
			no++;
		}
	check(4);
	Finalize();
	return 0;
}
