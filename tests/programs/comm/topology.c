/* Cartesian grids and their rows, graphs of the three kinds; messages along the edges. */
#include "expect_coll.h"

static void made(MPI_Comm c, const char *call)
{
	answer("comm=%s", made_comm(c));
	expect("%s%s", call, ending(0));
}

static void ring_on(MPI_Comm c)
{
	int me, n, v;
	MPI_Status st;
	if (c == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &n);
	Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 3, &v, 1, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &st);
	CHECK(v == (me + n - 1) % n);
}

int main(int argc, char **argv)
{
	int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {0, 1}, index[64], edges[64], one = 1;
	char line[128];
	MPI_Comm grid, row, graph, adjacent, dist;

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(WORLD, 2, dims, periods, 0, &grid);
	made(grid, "MPI_Cart_create(comm_old=WORLD, ndims=2, reorder=0)");
	ring_on(grid);
	MPI_Cart_sub(grid, keep, &row);
	answer("comm=%s", made_comm(row));
	expect("MPI_Cart_sub(comm=%s)%s", comm_name(grid), ending(0));
	ring_on(row);
	for (int i = 0; i < size; i++) {
		index[i] = i + 1;
		edges[i] = (i + 1) % size;
	}
	MPI_Graph_create(WORLD, size, index, edges, 0, &graph);
	snprintf(line, sizeof line, "MPI_Graph_create(comm_old=WORLD, nnodes=%d, reorder=0)", size);
	made(graph, line);
	ring_on(graph);
	MPI_Dist_graph_create_adjacent(
		WORLD, 1, &prev, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &adjacent);
	made(adjacent, "MPI_Dist_graph_create_adjacent(comm_old=WORLD, indegree=1, outdegree=1, reorder=0)");
	ring_on(adjacent);
	MPI_Dist_graph_create(WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &dist);
	made(dist, "MPI_Dist_graph_create(comm_old=WORLD, n=1, reorder=0)");
	ring_on(dist);
	Comm_free(&row);
	Comm_free(&grid);
	Comm_free(&graph);
	Comm_free(&adjacent);
	Comm_free(&dist);
	Finalize();
	return 0;
}
