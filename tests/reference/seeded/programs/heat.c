/* Heat on a square: nine points, so that the corners of the halo are needed; processes in two dimensions; two buffers by turns. */
#include "seeded.h"

static int n, steps = 6;
static struct part y, x;
static int north, south, east, west;
static MPI_Comm grid;
static MPI_Datatype column;
static double *buffer[2];
static float *conduct;

static size_t at(int j, int i) { return (size_t)j * (x.count + 2) + i; }

static void decompose(void)
{
	int parts[2] = {0, 0}, periodic[2] = {0, 0}, place[2];
	MPI_Dims_create(size, 2, parts);
	MPI_Cart_create(MPI_COMM_WORLD, 2, parts, periodic, 0, &grid);
	MPI_Cart_coords(grid, rank, 2, place);
	MPI_Cart_shift(grid, 0, 1, &south, &north);
	MPI_Cart_shift(grid, 1, 1, &west, &east);
	y = part_of(n, parts[0], place[0]);
	x = part_of(n, parts[1], place[1]);
	MPI_Type_vector(mistake("corner") ? y.count : y.count + 2, 1, x.count + 2, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
}

static void exchange(double *a)
{
	int width = mistake("halo-width") ? x.count / 2 : x.count, from = mistake("corner") ? 1 : 0;
	MPI_Sendrecv(&a[at(y.count, 1)], width, MPI_DOUBLE, north, 1, &a[at(0, 1)], width, MPI_DOUBLE, south, 1, grid,
		MPI_STATUS_IGNORE);
	MPI_Sendrecv(&a[at(1, 1)], width, MPI_DOUBLE, south, 2, &a[at(y.count + 1, 1)], width, MPI_DOUBLE, north, 2,
		grid, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&a[at(from, x.count)], 1, column, east, 3, &a[at(from, 0)], 1, column, west, 3, grid,
		MPI_STATUS_IGNORE);
	MPI_Sendrecv(&a[at(from, 1)], 1, column, west, 4, &a[at(from, x.count + 1)], 1, column, east, 4, grid,
		MPI_STATUS_IGNORE);
	hb_exchanged(a);
}

static void set(void)
{
	hb_loop("set");
	for (int j = 0; j <= y.count + 1; j++)
		for (int i = 0; i <= x.count + 1; i++) {
			int jj = j + y.first - 1, ii = i + x.first - 1;
			bool outside = jj < 0 || jj >= n || ii < 0 || ii >= n;
			buffer[0][at(j, i)] = outside ? 0 : sin(0.1 * jj) * cos(0.07 * ii) + 0.01 * (jj % 7);
			conduct[at(j, i)] = outside ? 0 : 0.1f + 0.001f * (float)((jj + 2 * ii) % 13);
		}
	hb_loop_end("set");
}

static void sweep(const double *u, double *v)
{
	int last = mistake("border") && north != MPI_PROC_NULL ? y.count - 1 : y.count;
	hb_loop("sweep");
	for (int j = 1; j <= last; j++) {
		hb_iteration(j + y.first - 1);
		for (int i = 1; i <= x.count; i++) {
			// heat.straight:
			double straight = u[at(j - 1, i)] + u[at(j + 1, i)] + u[at(j, i - 1)] + u[at(j, i + 1)];
			// heat.slanted:
			double slanted =
				u[at(j - 1, i - 1)] + u[at(j - 1, i + 1)] + u[at(j + 1, i - 1)] + u[at(j + 1, i + 1)];
			// heat.update:
			v[at(j, i)] = u[at(j, i)] + conduct[at(j, i)] * (straight + 0.25 * slanted - 5 * u[at(j, i)]);
		}
	}
	hb_loop_end("sweep");
}

/* A little heat from outside, along one diagonal. */
static void add_source(double *v, int step)
{
	hb_loop("source");
	for (int j = 1; j <= y.count; j++) {
		int i = j + y.first - x.first; // of the column with the same global index
		hb_iteration(j + y.first - 1);
		if (i >= 1 && i <= x.count)
			v[at(j, i)] += 0.001 * step;
	}
	int oj = n / 2 - y.first + 1, oi = n / 3 - x.first + 1;
	if (mistake("element") && step == 2 && oj >= 1 && oj <= y.count && oi >= 1 && oi <= x.count)
		// heat.element:
		v[at(oj, oi)] += 1.0;
	hb_loop_end("source");
}

int main(int argc, char **argv)
{
	n = start(&argc, &argv, 96);
	decompose();
	for (int b = 0; b < 2; b++) {
		buffer[b] = zeros(at(y.count + 2, 0), sizeof(double));
		HB_ARRAY(.name = b ? "odd" : "even", .at = buffer[b], .type = HB_REAL8, .rank = 2, .global = {n, n},
			.first = {y.first, x.first}, .count = {y.count, x.count}, .below = {1, 1}, .above = {1, 1});
	}
	conduct = zeros(at(y.count + 2, 0), sizeof(float));
	HB_ARRAY(.name = "conduct", .at = conduct, .type = HB_REAL4, .rank = 2, .global = {n, n},
		.first = {y.first, x.first}, .count = {y.count, x.count}, .below = {1, 1}, .above = {1, 1});
	set();
	hb_steps("time");
	for (int step = 1; step <= steps; step++) {
		double *u = buffer[(step + 1) % 2], *v = buffer[step % 2];
		hb_iteration(step);
		if (!mistake("halo-late") && !(mistake("halo-missing") && step == 3))
			exchange(u);
		sweep(u, v);
		if (mistake("halo-late"))
			exchange(u);
		add_source(v, step);
	}
	hb_steps_end("time");
	double sum = 0;
	for (int j = 1; j <= y.count; j++)
		for (int i = 1; i <= x.count; i++)
			sum += pow(buffer[steps % 2][at(j, i)], 2);
	finish(sqrt(sum_of_all(sum)));
	return 0;
}
