/* Who sends to whom is known to the senders alone: synchronous sends, a barrier that does not block, and
 * probing until all have arrived there. Rounds follow each other at once. */
#include "expect_coll.h"

static void round_of(int number)
{
	MPI_Request sends[8], barrier;
	MPI_Status st, sts[8];
	int v[8], n = 0, got, sum = 0;
	long no = 0;
	bool waiting = false;

	for (int to = 0; to < size && n < 8; to++)
		if (to != rank && (rank * 7 + to * 3 + number) % 3 != 0) {
			v[n] = rank * 10 + number;
			Issend(&v[n], 1, MPI_INT, to, number, WORLD, &sends[n]);
			n++;
		}
	for (;;) {
		if (Iprobe(MPI_ANY_SOURCE, number, WORLD, &st)) {
			Recv(&got, 1, MPI_INT, st.MPI_SOURCE, number, WORLD, &st);
			CHECK(got == st.MPI_SOURCE * 10 + number);
			out("round %d: from %d after %ld", number, st.MPI_SOURCE, no);
			sum++;
		} else {
			no++;
		}
		if (waiting) {
			if (Test(&barrier, &st))
				break;
		} else if (Testall(n, sends, sts)) {
			Ibarrier(WORLD, &barrier);
			waiting = true;
		}
	}
	out("round %d: %d messages, %ld times no", number, sum, no);
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	for (int i = 0; i < 5; i++)
		round_of(i);
	Finalize();
	return 0;
}
