/* A crash on one process: an index that was wrong long before it was used.
 *
 * Four processes compute how heat spreads over a rod; each has a piece of it. Process 3 has a sensor in its piece. It is told by process 0
 * of how many cells a piece is, and by process 1 where the sensor is, counted from the end of the rod. Both tell it at the start; the
 * sensor is read after eight steps.
 *
 * usage: mpirun -n 4 sensor */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TAG_CELLS = 1, TAG_SENSOR, TAG_LEFT, TAG_RIGHT };
enum { CELLS = 64, FROM_END = 6, STEPS = 8 };

struct rod {
	uint32_t cells;  /* of this piece */
	uint32_t sensor; /* the cell that has it */
	double *heat;    /* cells 1 to `cells`, and one of each neighbour at the ends */
};

/* Takes the two messages that say what the piece is like. */
static void configure(struct rod *rod)
{
	for (int i = 0; i < 2; i++) {
		uint32_t number;
		MPI_Status status;
		MPI_Recv(&number, 1, MPI_UINT32_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_CELLS)
			rod->cells = number;
		else
			rod->sensor = rod->cells - number;
	}
}

static void step(struct rod *rod, int left, int right)
{
	double *heat = rod->heat, before = heat[0];
	uint32_t n = rod->cells;
	MPI_Sendrecv(&heat[1], 1, MPI_DOUBLE, left, TAG_LEFT, &heat[n + 1], 1, MPI_DOUBLE, right, TAG_LEFT,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&heat[n], 1, MPI_DOUBLE, right, TAG_RIGHT, &heat[0], 1, MPI_DOUBLE, left, TAG_RIGHT,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (uint32_t i = 1; i <= n; i++) {
		double here = heat[i];
		heat[i] += 0.25 * (before - 2 * here + heat[i + 1]);
		before = here;
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	double all = 0, own = 0;
	struct rod rod = {.cells = 0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Send(&(uint32_t){CELLS}, 1, MPI_UINT32_T, size - 1, TAG_CELLS, MPI_COMM_WORLD);
	if (rank == 1) {
		usleep(5000); /* it reads where the sensor is */
		MPI_Send(&(uint32_t){FROM_END}, 1, MPI_UINT32_T, size - 1, TAG_SENSOR, MPI_COMM_WORLD);
	}
	if (rank == size - 1)
		configure(&rod);
	else
		rod.cells = CELLS;
	rod.heat = calloc(rod.cells + 2, sizeof *rod.heat);
	rod.heat[rod.cells] = rank == size - 1 ? 1000 : 0; /* the flame */
	for (int i = 0; i < STEPS; i++)
		step(&rod, rank > 0 ? rank - 1 : MPI_PROC_NULL, rank < size - 1 ? rank + 1 : MPI_PROC_NULL);
	for (uint32_t i = 1; i <= rod.cells; i++)
		own += rod.heat[i];
	MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("heat in the rod: %g\n", all);
	if (rank == size - 1)
		printf("heat at the sensor: %g\n", rod.heat[rod.sensor]);
	free(rod.heat);
	MPI_Finalize();
	return 0;
}
