/* Matrices of ScaLAPACK that nobody registered: their descriptors tell. Argument: "wrong", one element of the product is off before it is taken apart.
 * "shifted": the first blocks are those of the last process. */
#include <hbdb/compare.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60, NB = 8 };

void Cblacs_get(int, int, int *);
void Cblacs_gridinit(int *, const char *, int, int);
void Cblacs_gridinfo(int, int *, int *, int *, int *);
void Cblacs_gridexit(int);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void descinit_(int *, const int *, const int *, const int *, const int *, const int *, const int *, const int *,
	const int *, int *);
void pdgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
	const int *, const int *, const int *, const double *, const int *, const int *, const int *, const double *,
	double *, const int *, const int *, const int *);
void pdgetrf_(const int *, const int *, double *, const int *, const int *, const int *, int *, int *);

static int dims[2] = {0, 0}, at[2], from[2], mine[2];

static int global_of(int n, int d) { return (n / NB * dims[d] + (at[d] - from[d] + dims[d]) % dims[d]) * NB + n % NB; }

static void fill(double *a, double scale)
{
	for (int j = 0; j < mine[1]; j++)
		for (int i = 0; i < mine[0]; i++) {
			int r = global_of(i, 0), c = global_of(j, 1);
			a[(size_t)j * (size_t)mine[0] + (size_t)i] = scale / (1 + r + 2 * c) + (r == c) * 4;
		}
}

int main(int argc, char **argv)
{
	int size, context, info, n = N, nb = NB, one = 1, desc[9];
	MPI_Init(&argc, &argv);
	const char *what = argc > 1 ? argv[1] : "";
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	Cblacs_get(-1, 0, &context);
	Cblacs_gridinit(&context, "Row", dims[0], dims[1]);
	Cblacs_gridinfo(context, &dims[0], &dims[1], &at[0], &at[1]);
	for (int d = 0; d < 2; d++) {
		from[d] = strcmp(what, "shifted") ? 0 : dims[d] - 1;
		mine[d] = numroc_(&n, &nb, &at[d], &from[d], &dims[d]);
	}
	descinit_(desc, &n, &n, &nb, &nb, &from[0], &from[1], &context, &mine[0], &info);
	size_t elements = (size_t)mine[0] * (size_t)mine[1];
	double *a = malloc(elements * sizeof *a);
	double *b = malloc(elements * sizeof *b);
	double *c = malloc(elements * sizeof *c);
	int *pivot = malloc(sizeof *pivot * (size_t)(mine[0] + NB));
	double alpha = 1, beta = 0;
	fill(a, 1);
	fill(b, 0.5);
	fill(c, 0);
	hb_loop("product");
	pdgemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, desc, b, &one, &one, desc, &beta, c, &one, &one, desc);
	hb_loop_end("product");
	for (int j = 0; j < mine[1]; j++)
		for (int i = 0; i < mine[0]; i++)
			if (!strcmp(what, "wrong") && global_of(i, 0) == 40 && global_of(j, 1) == 21)
				c[(size_t)j * (size_t)mine[0] + (size_t)i] += 0.25;
	hb_loop("factors");
	pdgetrf_(&n, &n, c, &one, &one, desc, pivot, &info);
	hb_loop_end("factors");
	free(a);
	free(b);
	free(c);
	free(pivot);
	Cblacs_gridexit(context);
	MPI_Finalize();
	return 0;
}
