/* halo SIDE STEPS [exchange]: a five-point stencil on a two-dimensional grid of
 * processes, SIDE x SIDE cells each, halos by Irecv, Isend and Waitall. With a
 * third argument only the halos, without cells: what is between is nothing. */
#include <mpi.h>

#include <stdbool.h>

#include "bench.h"

enum { WEST, EAST, SOUTH, NORTH, SIDES };

struct field {
	long side;
	double *now, *next, *out[SIDES], *in[SIDES];
	int peer[SIDES];
};

static double *cell(const struct field *f, double *grid, long row, long column)
{
	return grid + row * (f->side + 2) + column;
}

static void pack(struct field *f)
{
	for (long i = 0; i < f->side; i++) {
		f->out[WEST][i] = *cell(f, f->now, i + 1, 1);
		f->out[EAST][i] = *cell(f, f->now, i + 1, f->side);
		f->out[SOUTH][i] = *cell(f, f->now, 1, i + 1);
		f->out[NORTH][i] = *cell(f, f->now, f->side, i + 1);
	}
}

static void unpack(struct field *f)
{
	for (long i = 0; i < f->side; i++) {
		*cell(f, f->now, i + 1, 0) = f->in[WEST][i];
		*cell(f, f->now, i + 1, f->side + 1) = f->in[EAST][i];
		*cell(f, f->now, 0, i + 1) = f->in[SOUTH][i];
		*cell(f, f->now, f->side + 1, i + 1) = f->in[NORTH][i];
	}
}

static void exchange(struct field *f, MPI_Comm comm)
{
	MPI_Request requests[2 * SIDES];
	if (f->now)
		pack(f);
	for (int s = 0; s < SIDES; s++)
		MPI_Irecv(f->in[s], (int)f->side, MPI_DOUBLE, f->peer[s], s ^ 1, comm, &requests[s]);
	for (int s = 0; s < SIDES; s++)
		MPI_Isend(f->out[s], (int)f->side, MPI_DOUBLE, f->peer[s], s, comm, &requests[SIDES + s]);
	MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
	if (f->now)
		unpack(f);
}

static void relax(struct field *f)
{
	for (long r = 1; r <= f->side; r++)
		for (long c = 1; c <= f->side; c++)
			*cell(f, f->next, r, c) =
				0.25 * (*cell(f, f->now, r - 1, c) + *cell(f, f->now, r + 1, c) +
					       *cell(f, f->now, r, c - 1) + *cell(f, f->now, r, c + 1));
	double *swap = f->now;
	f->now = f->next;
	f->next = swap;
}

static void prepare(struct field *f, long side, bool with_cells, MPI_Comm comm, int rank)
{
	size_t cells = with_cells ? (size_t)((side + 2) * (side + 2)) : 0;
	f->side = side;
	f->now = with_cells ? calloc(cells, sizeof(double)) : NULL;
	f->next = with_cells ? calloc(cells, sizeof(double)) : NULL;
	for (int s = 0; s < SIDES; s++) {
		f->out[s] = calloc((size_t)side, sizeof(double));
		f->in[s] = calloc((size_t)side, sizeof(double));
	}
	MPI_Cart_shift(comm, 1, 1, &f->peer[WEST], &f->peer[EAST]);
	MPI_Cart_shift(comm, 0, 1, &f->peer[SOUTH], &f->peer[NORTH]);
	for (size_t i = 0; i < cells; i++)
		f->now[i] = (double)(mix((uint64_t)rank << 32 | i) >> 40);
}

int main(int argc, char **argv)
{
	int rank, size, shape[2] = {0, 0}, periodic[2] = {1, 1};
	MPI_Comm comm;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, shape);
	MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periodic, 0, &comm);
	MPI_Comm_rank(comm, &rank);
	long side = argument(argc, argv, 1, 64), steps = argument(argc, argv, 2, 5000);
	struct field f;
	prepare(&f, side, argc <= 3, comm, rank);
	MPI_Barrier(comm);
	double start = now_ns(), sum = 0, total;
	for (long i = 0; i < steps; i++) {
		exchange(&f, comm);
		if (f.now)
			relax(&f);
	}
	MPI_Barrier(comm);
	double time = now_ns() - start;
	for (long r = 1; f.now && r <= side; r++)
		sum += *cell(&f, f.now, r, r);
	MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
	if (rank == 0) {
		report("step", time / (double)steps / 1000, "us");
		report_check("sum", (unsigned long long)total);
		report_end();
	}
	MPI_Finalize();
	return 0;
}
