/* An array that is written through a view of a file, and never registered. Arguments: how (plain, static, halo, rows, darray, gap), and "wrong" for one element
 * that is off in the third step. */
#include <hbdb/compare.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLUMNS = 20, STEPS = 5, CYCLE = 5 };

static int is(const char *a, const char *b) { return !strcmp(a, b); }

static int size, rank, dims[2] = {0, 0}, at[2], global[2] = {ROWS, COLUMNS}, part[2], first[2], rows, row;
static const char *how = "plain";

/* The part of this process, and the view of it. */
static MPI_Datatype share(void)
{
	MPI_Datatype view;
	for (int d = 0; d < 2; d++) {
		first[d] = global[d] * at[d] / dims[d];
		part[d] = global[d] * (at[d] + 1) / dims[d] - first[d];
	}
	if (is(how, "darray")) { /* cyclic rows of 5, blocks of columns */
		int kinds[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
		    more[2] = {CYCLE, MPI_DISTRIBUTE_DFLT_DARG};
		MPI_Type_create_darray(size, rank, 2, global, kinds, more, dims, MPI_ORDER_C, MPI_DOUBLE, &view);
		part[0] = 0;
		for (int r = 0; r < ROWS; r++)
			part[0] += r / CYCLE % dims[0] == at[0];
	} else {
		int all_first[2] = {0, 0};
		MPI_Type_create_subarray(
			2, global, part, is(how, "gap") ? all_first : first, MPI_ORDER_C, MPI_DOUBLE, &view);
	}
	MPI_Type_commit(&view);
	return view;
}

/* How it lies in memory: *ret_count of these. */
static MPI_Datatype storage(int around, int *ret_count)
{
	MPI_Datatype memory = MPI_DOUBLE;
	*ret_count = part[0] * part[1];
	if (!around)
		return memory;
	*ret_count = 1;
	int sizes[2] = {rows, row}, start[2] = {around, around};
	if (is(how, "halo"))
		MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &memory);
	else
		MPI_Type_vector(part[0], part[1], row, MPI_DOUBLE, &memory);
	MPI_Type_commit(&memory);
	return memory;
}

static void sweep(double *inner, int t, int wrong)
{
	for (int i = 0; i < part[0]; i++)
		for (int j = 0; j < part[1]; j++) {
			int r = is(how, "darray") ? (i / CYCLE * dims[0] + at[0]) * CYCLE + i % CYCLE : first[0] + i;
			int c = first[1] + j;
			inner[i * row + j] += r * 1.5 + c + t;
			if (wrong && t == 2 && r == 17 && c == 13)
				inner[i * row + j] += 0.5;
		}
}

int main(int argc, char **argv)
{
	int periods[2] = {0, 0}, count;
	static double store[ROWS * COLUMNS];
	MPI_Comm grid;
	MPI_File file;
	MPI_Init(&argc, &argv);
	how = argc > 1 ? argv[1] : how;
	int wrong = argc > 2 && is(argv[2], "wrong");
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, at);
	MPI_Datatype view = share();
	int around = is(how, "halo") || is(how, "rows") ? 2 : 0;
	row = part[1] + 2 * around;
	rows = part[0] + 2 * around;
	MPI_Datatype memory = storage(around, &count);
	double *u = is(how, "static") ? store : calloc((size_t)(rows * row), sizeof *u);
	double *inner = u + around * row + around;
	MPI_File_open(grid, "view.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
	MPI_File_set_view(file, 0, MPI_DOUBLE, view, "native", MPI_INFO_NULL);
	hb_steps("time");
	for (int t = 0; t < STEPS; t++) {
		hb_iteration(t);
		MPI_File_write_all(file, is(how, "rows") ? inner : u, count, memory, MPI_STATUS_IGNORE);
		hb_loop("sweep");
		sweep(inner, t, wrong);
		hb_loop_end("sweep");
	}
	hb_steps_end("time");
	MPI_File_close(&file);
	if (u != store)
		free(u);
	MPI_Finalize();
	return 0;
}
