/* An array that is written through a view of a file, and never registered. Arguments: how (plain, halo, rows, darray, gap), and "wrong" for one element
 * that is off in the third step. */
#include <hbdb/compare.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, COLUMNS = 20, STEPS = 5 };

static int is(const char *a, const char *b) { return !strcmp(a, b); }

/* The n-th element of a dimension that a process has. */
static int global_of(int n, int block, int processes, int place) { return (n / block * processes + place) * block + n % block; }

int main(int argc, char **argv)
{
	int size, rank, dims[2] = {0, 0}, at[2], global[2] = {ROWS, COLUMNS}, part[2], first[2], block[2], periods[2] = {0, 0};
	MPI_Init(&argc, &argv);
	const char *how = argc > 1 ? argv[1] : "plain";
	int wrong = argc > 2 && is(argv[2], "wrong");
	MPI_Comm grid;
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, at);
	for (int d = 0; d < 2; d++) {
		first[d] = global[d] * at[d] / dims[d];
		part[d] = global[d] * (at[d] + 1) / dims[d] - first[d];
		block[d] = global[d];
	}
	MPI_Datatype view, memory = MPI_DOUBLE;
	if (is(how, "darray")) { /* cyclic rows of 5, blocks of columns */
		int kinds[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, arguments[2] = {5, MPI_DISTRIBUTE_DFLT_DARG};
		MPI_Type_create_darray(size, rank, 2, global, kinds, arguments, dims, MPI_ORDER_C, MPI_DOUBLE, &view);
		block[0] = 5;
		part[0] = 0;
		for (int r = 0; r < ROWS; r++)
			part[0] += r / 5 % dims[0] == at[0];
	} else {
		int told[2] = {first[0], first[1]};
		if (is(how, "gap") && size > 1) /* all say that they have the first part */
			told[0] = told[1] = 0;
		MPI_Type_create_subarray(2, global, part, told, MPI_ORDER_C, MPI_DOUBLE, &view);
	}
	MPI_Type_commit(&view);
	int around = is(how, "halo") || is(how, "rows") ? 2 : 0, row = part[1] + 2 * around, rows = part[0] + 2 * around;
	double *u = calloc((size_t)(rows * row), sizeof *u), *inner = u + around * row + around;
	int count = part[0] * part[1];
	void *buffer = u;
	if (is(how, "halo")) {
		int sizes[2] = {rows, row}, start[2] = {around, around};
		MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &memory);
	} else if (is(how, "rows")) {
		MPI_Type_vector(part[0], part[1], row, MPI_DOUBLE, &memory);
		buffer = inner;
	}
	if (around) {
		MPI_Type_commit(&memory);
		count = 1;
	}
	MPI_File file;
	MPI_File_open(grid, "view.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
	MPI_File_set_view(file, 0, MPI_DOUBLE, view, "native", MPI_INFO_NULL);
	hb_steps("time");
	for (int t = 0; t < STEPS; t++) {
		hb_iteration(t);
		MPI_File_write_all(file, buffer, count, memory, MPI_STATUS_IGNORE);
		hb_loop("sweep");
		for (int i = 0; i < part[0]; i++)
			for (int j = 0; j < part[1]; j++) {
				int r = is(how, "darray") ? global_of(i, block[0], dims[0], at[0]) : first[0] + i;
				int c = is(how, "darray") ? j + at[1] * ((COLUMNS + dims[1] - 1) / dims[1]) : first[1] + j;
				inner[i * row + j] += r * 1.5 + c + t;
				if (wrong && t == 2 && r == 17 && c == 13)
					inner[i * row + j] += 0.5;
			}
		hb_loop_end("sweep");
	}
	hb_steps_end("time");
	MPI_File_close(&file);
	free(u);
	MPI_Finalize();
	return 0;
}
