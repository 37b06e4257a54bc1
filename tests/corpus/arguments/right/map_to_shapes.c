/* why: asking where a process would stand: in a grid and a graph of fewer processes than there are, too */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int dims[2] = {1, 2}, periods[2] = {0, 1}, index[2] = {1, 2}, edges[2] = {1, 0}, rank;
	MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &rank);
	MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &rank);
	MPI_Graph_map(MPI_COMM_WORLD, 2, index, edges, &rank);
	MPI_Finalize();
	return 0;
}
