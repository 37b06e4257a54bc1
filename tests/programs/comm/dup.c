/* Duplicates: messages on each, in the same tag, do not mix. */
#include "expect_coll.h"

int main(int argc, char **argv)
{
	MPI_Comm c[4];
	MPI_Request r[4], idup;
	MPI_Status st, sts[4];
	MPI_Info info;
	int v[4];

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	c[0] = WORLD;
	Comm_dup(WORLD, &c[1]);
	MPI_Info_create(&info);
	MPI_Info_set(info, "colour", "blue");
	MPI_Comm_dup_with_info(c[1], info, &c[2]);
	answer("comm=%s", made_comm(c[2]));
	expect("MPI_Comm_dup_with_info(comm=%s)%s", comm_name(c[1]), ending(0));
	MPI_Info_free(&info);
	MPI_Comm_idup(c[2], &c[3], &idup);
	made_comm(c[3]); /* numbered now, usable once the request has completed */
	expect("MPI_Comm_idup(comm=%s)%s", comm_name(c[2]), ending(0));
	posted(&idup, false, 0, 0, 0, false);
	Wait(&idup, &st);
	for (int i = 3; i >= 0; i--)
		Irecv(&v[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, c[i], &r[i]);
	for (int i = 0; i < 4; i++) {
		int w = rank * 10 + i;
		Send(&w, 1, MPI_INT, next, 1, c[i]);
	}
	Waitall(4, r, sts);
	for (int i = 0; i < 4; i++)
		CHECK(v[i] == prev * 10 + i);
	Comm_free(&c[2]);
	Send(&rank, 1, MPI_INT, next, 2, c[3]);
	Recv(v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, c[3], &st);
	CHECK(v[0] == prev);
	Comm_free(&c[1]);
	Comm_free(&c[3]);
	Finalize();
	return 0;
}
