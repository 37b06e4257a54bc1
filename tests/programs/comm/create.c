/* Communicators from groups: collective over all, and over the members alone. */
#include "expect_coll.h"

static void pass_round(MPI_Comm c)
{
	int me, n, v = -1;
	MPI_Status st;
	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &n);
	Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 1, &v, 1, MPI_ANY_SOURCE, 1, c, &st);
	CHECK(v == (me + n - 1) % n && st.MPI_SOURCE == v);
}

int main(int argc, char **argv)
{
	int ranks[64], n = 0;
	MPI_Group all, even, back;
	MPI_Comm c, d;

	Init(&argc, &argv);
	MPI_Comm_group(WORLD, &all);
	for (int i = 0; i < size; i += 2)
		ranks[n++] = i;
	MPI_Group_incl(all, n, ranks, &even);
	Comm_create(WORLD, even, &c);
	CHECK((c != MPI_COMM_NULL) == (rank % 2 == 0));
	if (c != MPI_COMM_NULL)
		pass_round(c);

	/* the members alone, in reverse order; the others go on */
	for (int i = 0; i < n; i++)
		ranks[i] = (n - 1 - i) * 2;
	MPI_Group_incl(all, n, ranks, &back);
	if (rank % 2 == 0) {
		MPI_Comm_create_group(WORLD, back, 17, &d);
		answer("comm=%s", made_comm(d));
		expect("MPI_Comm_create_group(comm=WORLD, tag=17)%s", ending(0));
		pass_round(d);
		Comm_free(&d);
	}
	if (c != MPI_COMM_NULL)
		Comm_free(&c);
	Comm_create(WORLD, MPI_GROUP_EMPTY, &c);
	CHECK(c == MPI_COMM_NULL);
	MPI_Group_free(&all);
	MPI_Group_free(&even);
	MPI_Group_free(&back);
	Barrier(WORLD);
	Finalize();
	return 0;
}
