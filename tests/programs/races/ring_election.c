/* An election in a ring that every process may start when it likes: how many messages it takes differs. */
#include "expect.h"

enum { CANDIDATE = 1, ELECTED };

int main(int argc, char **argv)
{
	int v, best, passed = 0, dropped = 0, leader = -1;
	MPI_Status st;

	Init(&argc, &argv);
	int next = (rank + 1) % size, id = (rank * 7 + 3) % 31;
	linger(500);
	best = id;
	Send(&id, 1, MPI_INT, next, CANDIDATE, WORLD);
	for (bool going = true; going;) {
		Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
		switch (st.MPI_TAG) {
		case CANDIDATE:
			if (v == id) { /* went all round: elected */
				leader = id;
				Send(&id, 1, MPI_INT, next, ELECTED, WORLD);
			} else if (v > best) {
				best = v;
				passed++;
				Send(&v, 1, MPI_INT, next, CANDIDATE, WORLD);
			} else {
				dropped++;
			}
			break;
		case ELECTED:
			going = false;
			if (leader != id)
				Send(&v, 1, MPI_INT, next, ELECTED, WORLD);
			leader = v;
			break;
		}
	}
	out("leader %d, passed %d, dropped %d", leader, passed, dropped);
	Finalize();
	return 0;
}
