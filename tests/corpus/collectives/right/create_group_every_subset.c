/* processes: 6
 * why: every group of two or more processes makes a communicator of its own; none may be taken for another one */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size, member[32];
	MPI_Group all, some;
	MPI_Comm comm;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	for (int set = 0; set < 1 << size; set++) {
		int n = 0;
		for (int i = 0; i < size; i++)
			if (set >> i & 1)
				member[n++] = i;
		if (n < 2 || !(set >> rank & 1))
			continue;
		MPI_Group_incl(all, n, member, &some);
		MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm);
		MPI_Barrier(comm);
		MPI_Comm_free(&comm);
		MPI_Group_free(&some);
	}
	MPI_Group_free(&all);
	MPI_Finalize();
	return 0;
}
