/*
 * processes: 4
 * why: topologies: grids with open ends, graphs with weights and several edges, exchange with the neighbours
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, dims[2] = {0, 0}, periods[2] = {0, 1}, coords[2], up, down, sum = 0;
	MPI_Comm grid, row, graph, old;
	MPI_Init(&argc, &argv);
	MPI_Dims_create(4, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_coords(grid, rank, 2, coords);
	MPI_Cart_shift(grid, 0, 1, &up, &down);
	int in[4] = {-1, -1, -1, -1}, out[4] = {rank, rank, rank, rank};
	MPI_Sendrecv(&out[0], 1, MPI_INT, down, 0, &in[0], 1, MPI_INT, up, 0, grid, MPI_STATUS_IGNORE);
	MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
	MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, grid);
	MPI_Request r;
	MPI_Ineighbor_alltoallv(out, (int[]){1, 1, 1, 1}, (int[]){0, 1, 2, 3}, MPI_INT, in, (int[]){1, 1, 1, 1},
		(int[]){0, 1, 2, 3}, MPI_INT, grid, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Cart_sub(grid, (int[]){0, 1}, &row);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, row);
	MPI_Comm_free(&row);
	int to[2] = {(rank + 1) % 4, (rank + 1) % 4}, from[2] = {(rank + 3) % 4, (rank + 3) % 4}, w[2] = {1, 2};
	MPI_Dist_graph_create_adjacent(grid, 2, from, w, 2, to, w, MPI_INFO_NULL, 0, &graph);
	MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph);
	MPI_Comm_free(&graph);
	MPI_Dist_graph_create(grid, 1, &rank, (int[]){1}, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, graph);
	MPI_Comm_free(&graph);
	int index[4] = {1, 3, 5, 6}, edges[6] = {1, 0, 2, 1, 3, 2};
	MPI_Graph_create(grid, 4, index, edges, 0, &old);
	MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, old);
	MPI_Comm_free(&old);
	MPI_Comm_free(&grid);
	if (!rank)
		printf("%d %d\n", sum, in[0]);
	MPI_Finalize();
	return 0;
}
