/* Attribute functions that call MPI, also with messages: while a communicator is duplicated, freed, and
 * MPI_COMM_SELF at the end. */
#include "expect_coll.h"

static int copies, deletions;

/* Runs inside Comm_dup: a word round the ring of the old communicator. */
static int copy(MPI_Comm c, int key, void *extra, void *in, void *ret_out, int *ret_flag)
{
	int v = -1;
	MPI_Status st;
	(void)key;
	(void)extra;
	Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 21, &v, 1, MPI_ANY_SOURCE, 21, c, &st);
	copies += v == (rank + size - 1) % size;
	*(void **)ret_out = in;
	*ret_flag = 1;
	return MPI_SUCCESS;
}

static int erase(MPI_Comm c, int key, void *value, void *extra)
{
	int v = -1;
	MPI_Status st;
	(void)key;
	(void)extra;
	if (value == &copies) {
		Barrier(c);
		Sendrecv(&rank, 1, MPI_INT, (rank + size - 1) % size, 22, &v, 1, MPI_ANY_SOURCE, 22, c, &st);
		deletions += v == (rank + 1) % size;
	} else { /* of MPI_COMM_SELF, in Finalize */
		Sendrecv(&rank, 1, MPI_INT, 0, 23, &v, 1, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &st);
		out("end: %d copies, %d deletions, %d", copies, deletions, v);
	}
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	MPI_Comm a, b;
	int key;

	Init(&argc, &argv);
	MPI_Comm_create_keyval(copy, erase, &key, NULL);
	Comm_dup(WORLD, &a);
	MPI_Comm_set_attr(a, key, &copies);
	Comm_dup(a, &b);
	CHECK(copies == 1);
	Comm_free(&b);
	CHECK(deletions == 1);
	Comm_free(&a);
	CHECK(deletions == 2);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, &deletions);
	MPI_Comm_free_keyval(&key);
	Finalize();
	CHECK(key == MPI_KEYVAL_INVALID);
	return 0;
}
