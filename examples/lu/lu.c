/* A flow-like system of five components on a cube of N^3 points, driven to the steady state that a forcing term prescribes, by symmetric
 * successive over-relaxation: a residual, a lower sweep, an upper sweep, a correction. The plane of each k is cut over processes in j and i.
 * The sweeps depend on points before and behind, so they go through the processes as a wave, plane by plane; hence the result does
 * not depend on the number of processes but for rounding in the norms.
 *
 *   lu [-n POINTS] [-s STEPS] [--without flux|u|rsd]      without: the mistake of leaving the exchange of an array out
 *
 * Marks and arrays for `hbdb compare`: docs/compare/marks.md. lu.f90 is the same in Fortran. */
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/compare.h>

enum { M = 5 }; /* components */
enum { X, Y, Z };
static const double nu = 0.02, dt = 0.02, omega = 1.2,
		    along[3] = {0.9, 0.6, 0.4}; /* viscosity, time step, relaxation, speeds */

static int n = 48, steps = 30;
static const char *without = "";
static double h;

/* The part of this process: points i_first .. i_first + lx - 1 and j_first .. j_first + ly - 1, stored from 1, with one point of the neighbours around. */
static int i_first, lx, j_first, ly;
static int west, east, south, north; /* neighbours in i and in j */
static MPI_Comm grid;
static MPI_Datatype face_i, face_j, column; /* of an array: one i, one j; and one i of one k */
static double *u, *rsd, *flux, *frct;

static double *at(double *a, int k, int j, int i) { return a + (((size_t)k * (ly + 2) + j) * (lx + 2) + i) * M; }

/* The first and the last point of this process that is not on the boundary of the cube. */
static int first(int origin) { return origin == 0 ? 2 : 1; }
static int last(int origin, int count) { return origin + count == n ? count - 1 : count; }

static void decompose(void)
{
	int size, rank, parts[2] = {0, 0}, periodic[2] = {0, 0}, place[2];
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, parts);
	MPI_Cart_create(MPI_COMM_WORLD, 2, parts, periodic, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, place);
	MPI_Cart_shift(grid, 0, 1, &south, &north);
	MPI_Cart_shift(grid, 1, 1, &west, &east);
	j_first = n * place[0] / parts[0];
	ly = n * (place[0] + 1) / parts[0] - j_first;
	i_first = n * place[1] / parts[1];
	lx = n * (place[1] + 1) / parts[1] - i_first;
	MPI_Type_vector(n, lx * M, (ly + 2) * (lx + 2) * M, MPI_DOUBLE, &face_j);
	MPI_Type_vector(ly, M, (lx + 2) * M, MPI_DOUBLE, &column);
	MPI_Type_create_hvector(n, 1, (MPI_Aint)sizeof(double) * (ly + 2) * (lx + 2) * M, column, &face_i);
	MPI_Type_commit(&face_j);
	MPI_Type_commit(&column);
	MPI_Type_commit(&face_i);
}

static double *allocate(const char *name)
{
	double *a = calloc((size_t)n * (ly + 2) * (lx + 2) * M, sizeof *a);
	if (!a) {
		fprintf(stderr, "lu: no memory for %s\n", name);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	HB_ARRAY(.name = name, .at = a, .type = HB_REAL8, .rank = 4, .global = {n, n, n, M},
		.first = {0, j_first, i_first, 0}, .count = {n, ly, lx, M}, .below = {0, 1, 1, 0},
		.above = {0, 1, 1, 0});
	return a;
}

/* Brings the halo of an array up to date in one direction. */
static void exchange(const char *name, double *a, int direction)
{
	if (strcmp(name, without) == 0)
		return;
	if (direction == X) {
		MPI_Sendrecv(at(a, 0, 1, lx), 1, face_i, east, 1, at(a, 0, 1, 0), 1, face_i, west, 1, grid,
			MPI_STATUS_IGNORE);
		MPI_Sendrecv(at(a, 0, 1, 1), 1, face_i, west, 2, at(a, 0, 1, lx + 1), 1, face_i, east, 2, grid,
			MPI_STATUS_IGNORE);
	}
	if (direction == Y) {
		MPI_Sendrecv(at(a, 0, ly, 1), 1, face_j, north, 3, at(a, 0, 0, 1), 1, face_j, south, 3, grid,
			MPI_STATUS_IGNORE);
		MPI_Sendrecv(at(a, 0, 1, 1), 1, face_j, south, 4, at(a, 0, ly + 1, 1), 1, face_j, north, 4, grid,
			MPI_STATUS_IGNORE);
	}
	hb_exchanged(a);
}

static double exact(int m, int k, int j, int i)
{
	double x = i * h, y = (j + j_first - 1) * h, z = k * h;
	x += (i_first - 1) * h;
	return 1 + 0.1 * m + x * (1 - 0.5 * x) * (m + 1) + y * y * (0.7 - 0.2 * m) + 0.4 * z * (x + y) +
	       0.3 * x * y * z * z;
}

static void set_exact(double *a, int everywhere)
{
	hb_loop("exact");
	for (int k = 0; k < n; k++)
		for (int j = 1; j <= ly; j++) {
			HB_ITERATION(k, j + j_first - 1);
			for (int i = 1; i <= lx; i++) {
				int border = k == 0 || k == n - 1 || j + j_first == 1 || j + j_first == n ||
					     i + i_first == 1 || i + i_first == n;
				for (int m = 0; m < M; m++)
					at(a, k, j, i)[m] = border || everywhere ? exact(m, k, j, i) : 1;
			}
		}
	hb_loop_end("exact");
}

/* What a component carries through a face in a direction. */
static void set_flux(double *from, int direction)
{
	hb_loop("flux");
	for (int k = 0; k < n; k++)
		for (int j = 1; j <= ly; j++) {
			HB_ITERATION(k, j + j_first - 1);
			for (int i = 1; i <= lx; i++) {
				const double *a = at(from, k, j, i);
				double *f = at(flux, k, j, i);
				for (int m = 0; m < M; m++)
					f[m] = a[m] * (along[direction] + 0.03 * a[(m + direction + 1) % M]);
			}
		}
	hb_loop_end("flux");
}

/* to += sign * (what flows in, and what spreads, in one direction). */
static void add_direction(const char *name, double *to, double *from, double sign, int direction)
{
	ptrdiff_t step = direction == X ? M : direction == Y ? (lx + 2) * M : (ly + 2) * (lx + 2) * M;
	set_flux(from, direction);
	exchange("flux", flux, direction);
	hb_loop(name);
	for (int k = 1; k < n - 1; k++)
		for (int j = first(j_first); j <= last(j_first, ly); j++) {
			HB_ITERATION(k, j + j_first - 1);
			for (int i = first(i_first); i <= last(i_first, lx); i++) {
				const double *a = at(from, k, j, i), *f = at(flux, k, j, i);
				double *t = at(to, k, j, i);
				for (int m = 0; m < M; m++)
					t[m] += sign * ((f[m - step] - f[m + step]) / (2 * h) +
							       nu * (a[m + step] - 2 * a[m] + a[m - step]) / (h * h));
			}
		}
	hb_loop_end(name);
}

/* The forcing that makes the exact solution a steady state. rsd is scratch. */
static void set_forcing(void)
{
	set_exact(rsd, 1);
	exchange("exact", rsd, X);
	exchange("exact", rsd, Y);
	add_direction("frct.x", frct, rsd, -1, X);
	add_direction("frct.y", frct, rsd, -1, Y);
	add_direction("frct.z", frct, rsd, -1, Z);
}

static void set_residual(void)
{
	hb_loop("rsd");
	memcpy(rsd, frct, (size_t)n * (ly + 2) * (lx + 2) * M * sizeof *rsd);
	hb_loop_end("rsd");
	add_direction("rsd.x", rsd, u, 1, X);
	add_direction("rsd.y", rsd, u, 1, Y);
	add_direction("rsd.z", rsd, u, 1, Z);
}

/* One point of a sweep: side -1 takes from the points before it in all three directions, 1 from those behind it. */
static void relax(int k, int j, int i, int side, double scale)
{
	double *r = at(rsd, k, j, i), d = 1 + dt * 6 * nu / (h * h);
	const double *ri = at(rsd, k, j, i + side), *rj = at(rsd, k, j + side, i), *rk = at(rsd, k + side, j, i);
	double ci = dt * (nu / (h * h) - side * along[X] / (2 * h)),
	       cj = dt * (nu / (h * h) - side * along[Y] / (2 * h)),
	       ck = dt * (nu / (h * h) - side * along[Z] / (2 * h));
	for (int m = 0; m < M; m++)
		r[m] = (scale * r[m] + omega * (ci * ri[m] + cj * rj[m] + ck * rk[m])) / d;
}

/* The planes one after the other: a process takes what its neighbours before it have made of the plane, and hands its own on. */
static void lower(void)
{
	int wave = strcmp(without, "rsd") != 0;
	hb_loop("lower");
	for (int k = 1; k < n - 1; k++) {
		if (wave) {
			MPI_Recv(at(rsd, k, 0, 1), lx * M, MPI_DOUBLE, south, 5, grid, MPI_STATUS_IGNORE);
			MPI_Recv(at(rsd, k, 1, 0), 1, column, west, 6, grid, MPI_STATUS_IGNORE);
		}
		for (int j = first(j_first); j <= last(j_first, ly); j++) {
			HB_ITERATION(k, j + j_first - 1);
			for (int i = first(i_first); i <= last(i_first, lx); i++)
				relax(k, j, i, -1, dt);
		}
		if (wave) {
			MPI_Send(at(rsd, k, ly, 1), lx * M, MPI_DOUBLE, north, 5, grid);
			MPI_Send(at(rsd, k, 1, lx), 1, column, east, 6, grid);
		}
	}
	hb_loop_end("lower");
}

static void upper(void)
{
	int wave = strcmp(without, "rsd") != 0;
	double d = 1 + dt * 6 * nu / (h * h);
	hb_loop("upper");
	for (int k = n - 2; k > 0; k--) {
		if (wave) {
			MPI_Recv(at(rsd, k, ly + 1, 1), lx * M, MPI_DOUBLE, north, 7, grid, MPI_STATUS_IGNORE);
			MPI_Recv(at(rsd, k, 1, lx + 1), 1, column, east, 8, grid, MPI_STATUS_IGNORE);
		}
		for (int j = last(j_first, ly); j >= first(j_first); j--) {
			HB_ITERATION(k, j + j_first - 1);
			for (int i = last(i_first, lx); i >= first(i_first); i--)
				relax(k, j, i, 1, d);
		}
		if (wave) {
			MPI_Send(at(rsd, k, 1, 1), lx * M, MPI_DOUBLE, south, 7, grid);
			MPI_Send(at(rsd, k, 1, 1), 1, column, west, 8, grid);
		}
	}
	hb_loop_end("upper");
}

static void correct(void)
{
	hb_loop("u");
	for (int k = 1; k < n - 1; k++)
		for (int j = first(j_first); j <= last(j_first, ly); j++) {
			HB_ITERATION(k, j + j_first - 1);
			for (int i = first(i_first); i <= last(i_first, lx); i++)
				for (int m = 0; m < M; m++)
					at(u, k, j, i)[m] += at(rsd, k, j, i)[m] / (omega * (2 - omega));
		}
	hb_loop_end("u");
	exchange("u", u, X);
	exchange("u", u, Y);
}

static double norm(const char *name, double *a, int error)
{
	double sum = 0;
	hb_loop(name);
	hb_reduce(name, HB_SUM, HB_REAL8, &sum);
	for (int k = 1; k < n - 1; k++)
		for (int j = first(j_first); j <= last(j_first, ly); j++) {
			HB_ITERATION(k, j + j_first - 1);
			for (int i = first(i_first); i <= last(i_first, lx); i++)
				for (int m = 0; m < M; m++) {
					double x = at(a, k, j, i)[m] - (error ? exact(m, k, j, i) : 0);
					sum += x * x;
				}
		}
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
	hb_reduced(&sum);
	hb_loop_end(name);
	return sqrt(sum / ((double)M * (n - 2) * (n - 2) * (n - 2)));
}

static void solve(void)
{
	set_forcing();
	set_exact(u, 0);
	exchange("u", u, X);
	exchange("u", u, Y);
	set_residual();
	hb_steps("time");
	for (int step = 1; step <= steps; step++) {
		hb_iteration(step);
		lower();
		upper();
		correct();
		set_residual();
	}
	hb_steps_end("time");
}

static void usage(void)
{
	fprintf(stderr, "usage: lu [-n POINTS] [-s STEPS] [--without flux|u|rsd]\n");
	MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int i = 1; i < argc; i += 2) {
		if (i + 1 == argc)
			usage();
		else if (strcmp(argv[i], "-n") == 0)
			n = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "-s") == 0)
			steps = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--without") == 0)
			without = argv[i + 1];
		else
			usage();
	}
	if (n < 16 || steps < 0)
		usage();
	h = 1.0 / (n - 1);
	decompose();
	u = allocate("u");
	rsd = allocate("rsd");
	flux = allocate("flux");
	frct = allocate("frct");
	solve();
	double of_rsd = norm("norm", rsd, 0), of_error = norm("error", u, 1);
	int rank;
	MPI_Comm_rank(grid, &rank);
	if (rank == 0)
		printf("norm of rsd %.9e, error of u %.9e\n", of_rsd, of_error);
	MPI_Type_free(&face_j);
	MPI_Type_free(&column);
	MPI_Type_free(&face_i);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
