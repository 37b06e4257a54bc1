/* Every constructor of datatypes, each type sent and taken by a wildcard receive. */
#include <stddef.h>

#include "expect.h"

#define MANY 13

struct pair {
	char c;
	double d;
};

/* All describe memory inside an array of 64 ints. */
static int make(MPI_Datatype *t)
{
	int n = 0, lengths[2] = {2, 1}, at[2] = {0, 5}, sizes[2] = {8, 8}, sub[2] = {3, 2}, starts[2] = {1, 4};
	int distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[2] = {1, 1};
	int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
	MPI_Aint bytes[2] = {0, 24}, members[2] = {0, offsetof(struct pair, d)};
	MPI_Datatype parts[2] = {MPI_CHAR, MPI_DOUBLE};
	int single[2] = {1, 1};
	MPI_Type_contiguous(5, MPI_INT, &t[n++]);
	MPI_Type_vector(3, 2, 4, MPI_INT, &t[n++]);
	MPI_Type_create_hvector(3, 1, 20, MPI_INT, &t[n++]);
	MPI_Type_indexed(2, lengths, at, MPI_INT, &t[n++]);
	MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t[n++]);
	MPI_Type_create_indexed_block(2, 2, at, MPI_INT, &t[n++]);
	MPI_Type_create_hindexed_block(2, 2, bytes, MPI_INT, &t[n++]);
	MPI_Type_create_struct(2, single, members, parts, &t[n++]);
	MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT, &t[n++]);
	MPI_Type_create_darray(1, 0, 2, sub, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &t[n++]);
	MPI_Type_create_resized(t[0], 0, 40, &t[n++]);
	MPI_Type_dup(t[1], &t[n++]);
	MPI_Type_contiguous(2, t[3], &t[n++]); /* of a derived one */
	for (int i = 0; i < n; i++)
		MPI_Type_commit(&t[i]);
	return n;
}

int main(int argc, char **argv)
{
	MPI_Datatype t[MANY];
	int v[64], size_of;
	MPI_Status st;

	Init(&argc, &argv);
	int n = make(t);
	CHECK(n == MANY);
	for (int i = 0; i < n; i++) {
		MPI_Type_size(t[i], &size_of);
		if (rank > 0) {
			for (int k = 0; k < 64; k++)
				v[k] = rank * 100 + k;
			linger(100);
			Send(v, 1, t[i], 0, i, WORLD);
			continue;
		}
		for (int from = 1; from < size; from++) {
			memset(v, 0, sizeof v);
			Recv(v, 1, t[i], MPI_ANY_SOURCE, i, WORLD, &st);
			CHECK(status_bytes(&st) == size_of);
			int first = i == 8 ? 12 : 0; /* where the subarray starts */
			CHECK(v[first] % 256 == (st.MPI_SOURCE * 100 + first) % 256);
			out("type %d, %d bytes, from %d", i, size_of, st.MPI_SOURCE);
		}
	}
	for (int i = 0; i < n; i++)
		MPI_Type_free(&t[i]);
	Finalize();
	return 0;
}
