/* processes: 3
 * why: every process describes the edges of another one; the library hands them out */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int source, degree = 1, destination, values[1] = {0}, got[1];
	MPI_Comm ring;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	source = (rank + 1) % 3, destination = (rank + 2) % 3;
	MPI_Dist_graph_create(
		MPI_COMM_WORLD, 1, &source, &degree, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
	MPI_Ineighbor_alltoall(values, 1, MPI_INT, got, 1, MPI_INT, ring, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
