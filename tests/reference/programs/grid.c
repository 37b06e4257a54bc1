/* Two grids whose rows are distributed, in C's order of elements and in Fortran's. Each process writes what it has stored into grid.RANK and turned.RANK.
 * usage: grid [FOLDER [wrong]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <hbdb/compare.h>

enum { ROWS = 24, COLUMNS = 10 };

static void keep(const char *folder, const char *name, int rank, const void *at, size_t bytes)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.%d", folder, name, rank);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(at, 1, bytes, f) != bytes || fclose(f))
		MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int lo = ROWS * rank / size, rows = ROWS * (rank + 1) / size - lo, stored = rows + 2;
	double(*grid)[COLUMNS] = calloc((size_t)stored, sizeof *grid);
	int *turned = calloc((size_t)stored * COLUMNS, sizeof *turned);
	HB_ARRAY(.name = "grid", .at = grid, .type = HB_REAL8, .rank = 2, .global = {ROWS, COLUMNS}, .first = {lo, 0},
		.count = {rows, COLUMNS}, .below = {1}, .above = {1});
	HB_ARRAY(.name = "turned", .at = turned, .type = HB_INTEGER4, .rank = 2, .global = {ROWS, COLUMNS},
		.first = {lo, 0}, .count = {rows, COLUMNS}, .below = {1}, .above = {1}, .columns = 1);
	hb_loop("fill");
	for (int i = 0; i < stored; i++)
		for (int j = 0; j < COLUMNS; j++) {
			int g = lo + i - 1;
			grid[i][j] = 100.25 * g + j;
			turned[i + j * stored] = 1000 * g + j;
			if (argc > 2 && g == 17 && j == 3)
				grid[i][j] += 0.5;
		}
	hb_loop_end("fill");
	if (argc > 1) {
		keep(argv[1], "grid", rank, grid, (size_t)stored * sizeof *grid);
		keep(argv[1], "turned", rank, turned, (size_t)stored * COLUMNS * sizeof *turned);
	}
	free(grid);
	free(turned);
	MPI_Finalize();
	return 0;
}
