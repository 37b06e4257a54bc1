/* processes: 2
 * expect: HB-BUFFER-TYPE
 * why: a struct whose third member is an int, sent as three MPI_DOUBLE */
#include <mpi.h>

struct particle {
	double x, v;
	int kind;
};

int main(int argc, char **argv)
{
	int rank;
	struct particle p[2] = {{1, 2, 3}, {4, 5, 6}};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(p, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(p, 3, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
