/* Messages to and from nobody, in every way there is. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v = 3, count, index, number, none = MPI_PROC_NULL;
	MPI_Status st, sts[4];
	MPI_Request r[4];
	MPI_Message m;

	Init(&argc, &argv);
	Send(&v, 1, MPI_INT, none, 1, WORLD);
	Ssend(&v, 1, MPI_INT, none, 1, WORLD);
	Rsend(&v, 1, MPI_INT, none, 1, WORLD);
	Recv(&v, 1, MPI_INT, none, 1, WORLD, &st);
	MPI_Get_count(&st, MPI_INT, &count);
	CHECK(st.MPI_SOURCE == none && st.MPI_TAG == MPI_ANY_TAG && count == 0 && v == 3);
	Recv(&v, 0, MPI_INT, none, MPI_ANY_TAG, WORLD, &st);

	Isend(&v, 1, MPI_INT, none, 2, WORLD, &r[0]);
	Irecv(&v, 1, MPI_INT, none, 2, WORLD, &r[1]);
	Issend(&v, 1, MPI_INT, none, 2, WORLD, &r[2]);
	Irecv(&v, 1, MPI_INT, none, MPI_ANY_TAG, WORLD, &r[3]);
	Waitall(4, r, sts);
	/* MPICH 4.0.2 answers source 0 and tag 0 here: what it says is compared, not checked */
	Irecv(&v, 1, MPI_INT, none, 3, WORLD, &r[0]);
	Waitany(1, r, &index, &st);
	CHECK(index == 0);

	Probe(none, 4, WORLD, &st);
	CHECK(st.MPI_SOURCE == none && Iprobe(none, MPI_ANY_TAG, WORLD, &st));
	Mprobe(none, 5, WORLD, &m, &st, &number);
	CHECK(m == MPI_MESSAGE_NO_PROC);
	Mrecv(&v, 1, MPI_INT, &m, -1, &st);
	CHECK(m == MPI_MESSAGE_NULL && st.MPI_SOURCE == none);
	CHECK(Improbe(none, 5, WORLD, &m, &st, &number));
	Imrecv(&v, 1, MPI_INT, &m, -1, &st, &r[0]);
	Wait(&r[0], &st);
	CHECK(v == 3);
	out("nothing came");
	Finalize();
	return 0;
}
