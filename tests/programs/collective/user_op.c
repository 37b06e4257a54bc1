/* Operations of the program, one that commutes and one that does not, on a derived type. */
#include "expect_coll.h"

static int called;

/* The later matrix times the earlier one: order matters. */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *t)
{
	int(*a)[4] = in, (*b)[4] = inout, c[4];
	(void)t;
	called++;
	for (int i = 0; i < *n; i++) {
		c[0] = a[i][0] * b[i][0] + a[i][1] * b[i][2];
		c[1] = a[i][0] * b[i][1] + a[i][1] * b[i][3];
		c[2] = a[i][2] * b[i][0] + a[i][3] * b[i][2];
		c[3] = a[i][2] * b[i][1] + a[i][3] * b[i][3];
		memcpy(b[i], c, sizeof c);
	}
}

static void both(void *in, void *inout, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] |= ((int *)in)[i];
}

int main(int argc, char **argv)
{
	int m[4] = {1, 0, 0, 1}, p[4], bits, got;
	MPI_Op op, or ;
	MPI_Datatype matrix;
	MPI_Request r;
	MPI_Status st;

	Init(&argc, &argv);
	MPI_Type_contiguous(4, MPI_INT, &matrix);
	MPI_Type_commit(&matrix);
	MPI_Op_create(multiply, 0, &op);
	MPI_Op_create(both, 1, & or);
	m[1] = rank + 1; /* upper triangular: the product sums them */
	Reduce(m, p, 1, matrix, op, 0, WORLD);
	CHECK(rank != 0 || p[1] == size * (size + 1) / 2);
	Scan(m, p, 1, matrix, op, WORLD);
	CHECK(p[1] == (rank + 1) * (rank + 2) / 2);
	Allreduce(m, p, 1, matrix, op, WORLD);
	CHECK(p[1] == size * (size + 1) / 2);
	bits = 1 << rank;
	Iallreduce(&bits, &got, 1, MPI_INT, or, WORLD, &r);
	Wait(&r, &st);
	CHECK(got == (1 << size) - 1);
	int a[4] = {1, 2, 0, 1}, b[4] = {1, 3, 0, 1};
	MPI_Reduce_local(a, b, 1, matrix, op);
	CHECK(b[1] == 5);
	MPI_Op_free(&op);
	MPI_Op_free(& or);
	MPI_Type_free(&matrix);
	Finalize();
	return 0;
}
