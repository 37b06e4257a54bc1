/* A sweep with a halo on a Cartesian communicator; the array is registered nowhere. Arguments: types of the exchange (subarray, vector, neighbors), and
 * "wrong": the exchange of rows is left out in the third step. "uneven": extents that the number of processes does not divide; "norm": the same, and a norm after
 * each step, so that all processes meet; "norm-wrong": both. */
#include <hbdb/compare.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5 };

static MPI_Comm grid;
static int part[2], rows, row, low[2], high[2];
static MPI_Datatype lines[2], send[4], receive[4];

static int is(const char *a, const char *b) { return !strcmp(a, b); }

static MPI_Datatype box(int first, int second, int n, int m)
{
	MPI_Datatype type;
	int sizes[2] = {rows, row}, sub[2] = {n, m}, start[2] = {first, second};
	MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	return type;
}

static void make_types(void)
{
	receive[0] = box(0, 1, 1, part[1]);
	receive[1] = box(rows - 1, 1, 1, part[1]);
	receive[2] = box(1, 0, part[0], 1);
	receive[3] = box(1, row - 1, part[0], 1);
	send[0] = box(1, 1, 1, part[1]);
	send[1] = box(part[0], 1, 1, part[1]);
	send[2] = box(1, 1, part[0], 1);
	send[3] = box(1, part[1], part[0], 1);
	MPI_Type_contiguous(part[1], MPI_DOUBLE, &lines[0]);
	MPI_Type_vector(part[0], 1, row, MPI_DOUBLE, &lines[1]);
	MPI_Type_commit(&lines[0]);
	MPI_Type_commit(&lines[1]);
}

static void exchange_boxes(double *u, int d)
{
	MPI_Sendrecv(u, 1, send[2 * d], low[d], 1, u, 1, receive[2 * d + 1], high[d], 1, grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(u, 1, send[2 * d + 1], high[d], 2, u, 1, receive[2 * d], low[d], 2, grid, MPI_STATUS_IGNORE);
}

static void exchange_lines(double *u, int d)
{
	int step = d ? 1 : row, n = part[d];
	double *from = u + (d ? row : 1);
	MPI_Request r[2];
	MPI_Status status[2];
	MPI_Irecv(from, 1, lines[d], low[d], 1, grid, &r[0]);
	MPI_Irecv(from + (n + 1) * step, 1, lines[d], high[d], 2, grid, &r[1]);
	MPI_Send(from + step, 1, lines[d], low[d], 2, grid);
	MPI_Send(from + n * step, 1, lines[d], high[d], 1, grid);
	MPI_Waitall(2, r, status);
}

static void exchange(double *u, const char *how, int leave_out)
{
	int one[4] = {1, 1, 1, 1};
	MPI_Aint at[4] = {0};
	if (is(how, "neighbors")) {
		if (!leave_out)
			MPI_Neighbor_alltoallw(u, one, at, send, u, one, at, receive, grid);
		return;
	}
	for (int d = leave_out; d < 2; d++)
		is(how, "subarray") ? exchange_boxes(u, d) : exchange_lines(u, d);
}

static void sweep(const double *u, double *v)
{
	for (int i = 1; i <= part[0]; i++)
		for (int j = 1; j <= part[1]; j++)
			v[i * row + j] = 0.25 * (u[(i - 1) * row + j] + u[(i + 1) * row + j] + u[i * row + j - 1] +
							u[i * row + j + 1]);
}

int main(int argc, char **argv)
{
	int size, rank, dims[2] = {0, 0}, at[2], periods[2] = {0, 0};
	MPI_Init(&argc, &argv);
	const char *how = argc > 1 ? argv[1] : "subarray", *what = argc > 2 ? argv[2] : "";
	int norm = !strncmp(what, "norm", 4), global[2] = {24, norm || is(what, "uneven") ? 21 : 20};
	periods[1] = !is(how, "neighbors"); /* MPICH 4.0 takes the two messages of a ring of two for each other */
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, at);
	for (int d = 0; d < 2; d++) {
		part[d] = global[d] * (at[d] + 1) / dims[d] - global[d] * at[d] / dims[d];
		MPI_Cart_shift(grid, d, 1, &low[d], &high[d]);
	}
	rows = part[0] + 2;
	row = part[1] + 2;
	make_types();
	double *u = calloc((size_t)(rows * row), sizeof *u);
	double *v = calloc((size_t)(rows * row), sizeof *v);
	for (int i = 1; i <= part[0]; i++)
		for (int j = 1; j <= part[1]; j++) {
			int r = global[0] * at[0] / dims[0] + i, c = global[1] * at[1] / dims[1] + j;
			u[i * row + j] = r * r * 0.125 + c * 3;
		}
	for (int t = 0; t < STEPS; t++) {
		exchange(u, how, strstr(what, "wrong") && t == 2);
		hb_loop("there");
		sweep(u, v);
		hb_loop_end("there");
		exchange(v, how, 0);
		hb_loop("back");
		sweep(v, u);
		hb_loop_end("back");
		double all, mine = u[row + 1];
		if (norm)
			MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	free(u);
	free(v);
	MPI_Finalize();
	return 0;
}
