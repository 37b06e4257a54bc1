/* The clock decides: how long a phase lasts and how many turns it has are replayed with it. */
#include "expect_coll.h"

int main(int argc, char **argv)
{
	long turns = 0;
	int more = 1, v = 0, sum;
	MPI_Status st;

	Init(&argc, &argv);
	double begin = MPI_Wtime(), last = begin, longest = 0;
	while (more) { /* rank 0 looks at its clock and tells the others */
		Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD);
		linger(300);
		double now = MPI_Wtime();
		CHECK(now >= last);
		if (now - last > longest)
			longest = now - last;
		last = now;
		turns++;
		more = now - begin < 0.02;
		Bcast(&more, 1, MPI_INT, 0, WORLD);
	}
	CHECK(turns > 0 && MPI_Wtick() > 0);
	out("%ld turns, longest %.9f", turns, longest);
	if (rank == 0) { /* waits for a message, but only so long */
		double end = MPI_Wtime() + 0.001;
		bool came = false;
		while (MPI_Wtime() < end && !came)
			came = Iprobe(1, 1, WORLD, &st);
		out("%s", came ? "in time" : "late");
		Recv(&v, 1, MPI_INT, 1, 1, WORLD, &st);
	} else if (rank == 1) {
		linger(2000);
		Send(&v, 1, MPI_INT, 0, 1, WORLD);
	}
	Finalize();
	return 0;
}
