/* Poisson's equation in a box by Jacobi's method: processes in three dimensions, faces packed and sent without waiting. */
#include "seeded.h"

static int n, steps = 5;
static struct part part[3]; // of z, y, x
static int below[3], above[3];
static MPI_Comm grid;
static double *u, *next, *f, *work;
static double *in[3][2], *out[3][2];

static size_t at(int k, int j, int i) { return ((size_t)k * (part[1].count + 2) + j) * (part[2].count + 2) + i; }

static void decompose(void)
{
	int parts[3] = {0, 0, 0}, periodic[3] = {0, 0, 0}, place[3];
	MPI_Dims_create(size, 3, parts);
	MPI_Cart_create(MPI_COMM_WORLD, 3, parts, periodic, 0, &grid);
	MPI_Cart_coords(grid, rank, 3, place);
	for (int d = 0; d < 3; d++) {
		part[d] = part_of(n, parts[d], place[d]);
		MPI_Cart_shift(grid, d, 1, &below[d], &above[d]);
	}
	for (int d = 0; d < 3; d++)
		for (int side = 0; side < 2; side++) {
			size_t face = (size_t)part[(d + 1) % 3].count * part[(d + 2) % 3].count;
			in[d][side] = zeros(face, sizeof(double));
			out[d][side] = zeros(face, sizeof(double));
		}
}

/* Between the layer `layer` of a dimension and a buffer. */
static void copy_face(double *a, int d, int layer, double *face, bool pack)
{
	int e = (d + 1) % 3, g = (d + 2) % 3, index[3];
	index[d] = layer;
	for (index[e] = 1; index[e] <= part[e].count; index[e]++)
		for (index[g] = 1; index[g] <= part[g].count; index[g]++, face++) {
			size_t place = at(index[0], index[1], index[2]);
			if (pack)
				*face = a[place];
			else
				// jacobi.unpack:
				a[place] = *face;
		}
}

static void send_faces(double *a)
{
	MPI_Request request[12];
	int requests = 0;
	for (int d = 0; d < 3; d++) {
		int face = part[(d + 1) % 3].count * part[(d + 2) % 3].count;
		copy_face(a, d, 1, out[d][0], true);
		copy_face(a, d, part[d].count, out[d][1], true);
		MPI_Irecv(in[d][0], face, MPI_DOUBLE, below[d], 2 * d, grid, &request[requests++]);
		MPI_Irecv(in[d][1], face, MPI_DOUBLE, above[d], 2 * d + 1, grid, &request[requests++]);
		MPI_Isend(out[d][1], face, MPI_DOUBLE, above[d], 2 * d, grid, &request[requests++]);
		MPI_Isend(out[d][0], face, MPI_DOUBLE, below[d], 2 * d + 1, grid, &request[requests++]);
	}
	MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
}

static void take_faces(double *a)
{
	for (int d = 0; d < 3; d++) {
		bool swapped = mistake("faces-swapped") && d == 1;
		if (mistake("halo-missing") && d == 0)
			continue;
		copy_face(a, d, 0, in[d][swapped], false);
		copy_face(a, d, part[d].count + 1, in[d][!swapped], false);
	}
	hb_exchanged(a);
}

static void set(void)
{
	int origin = mistake("local-index") ? 0 : part[0].first;
	hb_loop("set");
	for (int k = 1; k <= part[0].count; k++)
		for (int j = 1; j <= part[1].count; j++)
			for (int i = 1; i <= part[2].count; i++) {
				int kk = k + origin - 1, jj = j + part[1].first - 1, ii = i + part[2].first - 1;
				// jacobi.source:
				f[at(k, j, i)] = 1 + sin(0.3 * kk) * cos(0.2 * jj) + 0.1 * (ii % 5);
				u[at(k, j, i)] = 0.01 * ((ii + jj + k + part[0].first) % 11);
			}
	hb_loop_end("set");
}

static void sweep(void)
{
	hb_loop("sweep");
	for (int k = 1; k <= part[0].count; k++) {
		hb_iteration(k + part[0].first - 1);
		for (int j = 1; j <= part[1].count; j++)
			for (int i = 1; i <= part[2].count; i++)
				// jacobi.update:
				next[at(k, j, i)] = (u[at(k - 1, j, i)] + u[at(k + 1, j, i)] + u[at(k, j - 1, i)] +
							    u[at(k, j + 1, i)] + u[at(k, j, i - 1)] +
							    u[at(k, j, i + 1)] + f[at(k, j, i)]) /
						    6;
	}
	hb_loop_end("sweep");
}

/* work: the square of what changed at each point, summed over three directions of weights. */
static void measure(int step)
{
	hb_loop("work");
	for (int k = 1; k <= part[0].count; k++)
		for (int j = 1; j <= part[1].count; j++)
			for (int i = 1; i <= part[2].count; i++) {
				size_t here = at(k, j, i);
				if (!(mistake("not-cleared") && step > 2))
					work[here] = 0;
				for (int d = 1; d <= 3; d++)
					// jacobi.work:
					work[here] += d * (next[here] - u[here]) * (next[here] - u[here]);
			}
	hb_loop_end("work");
}

static double norm_of_work(void)
{
	double norm = 0;
	hb_loop("norm");
	hb_reduce("norm", HB_SUM, HB_REAL8, &norm);
	for (int k = 1; k <= part[0].count; k++)
		for (int j = 1; j <= part[1].count; j++)
			for (int i = 1; i <= part[2].count; i++)
				norm += work[at(k, j, i)];
	// jacobi.norm:
	MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, mistake("norm-max") ? MPI_MAX : MPI_SUM, grid);
	hb_reduced(&norm);
	hb_loop_end("norm");
	return norm;
}

static void step_forward(double weight)
{
	hb_loop("u");
	for (int k = 1; k <= part[0].count; k++)
		for (int j = 1; j <= part[1].count; j++)
			for (int i = 1; i <= part[2].count; i++)
				u[at(k, j, i)] += weight * (next[at(k, j, i)] - u[at(k, j, i)]);
	hb_loop_end("u");
}

static double *registered(const char *name)
{
	double *a = zeros(at(part[0].count + 2, 0, 0), sizeof *a);
	HB_ARRAY(.name = name, .at = a, .type = HB_REAL8, .rank = 3, .global = {n, n, n},
		.first = {part[0].first, part[1].first, part[2].first},
		.count = {part[0].count, part[1].count, part[2].count}, .below = {1, 1, 1}, .above = {1, 1, 1});
	return a;
}

int main(int argc, char **argv)
{
	n = start(&argc, &argv, 24);
	decompose();
	u = registered("u");
	next = registered("next");
	f = registered("f");
	work = registered("work");
	set();
	double norm = 0;
	hb_steps("iterations");
	for (int step = 1; step <= steps; step++) {
		hb_iteration(step);
		send_faces(u);
		if (!mistake("late"))
			take_faces(u);
		sweep();
		if (mistake("late"))
			take_faces(u);
		measure(step);
		norm = norm_of_work();
		step_forward(norm > 1e6 ? 0.5 : 0.9);
	}
	hb_steps_end("iterations");
	finish(norm);
	return 0;
}
