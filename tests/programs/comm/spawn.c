/* The parents talk to processes that they spawned. */
#include "expect.h"

int main(int argc, char **argv)
{
	MPI_Comm parent, all;
	int v = 0, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL) {
		MPI_Recv(&v, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
		v += rank + 1;
		MPI_Send(&v, 1, MPI_INT, 0, 2, parent);
		MPI_Intercomm_merge(parent, 1, &all);
	} else {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, WORLD, &parent, MPI_ERRCODES_IGNORE);
		if (rank == 0)
			for (int i = 0; i < 2; i++) {
				v = 100;
				MPI_Send(&v, 1, MPI_INT, i, 1, parent);
				MPI_Recv(&v, 1, MPI_INT, i, 2, parent, MPI_STATUS_IGNORE);
				CHECK(v == 101 + i);
				out("child %d answered", i);
			}
		MPI_Intercomm_merge(parent, 0, &all);
	}
	v = 1;
	MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, all);
	MPI_Comm_size(WORLD, &size);
	CHECK(sum >= 3);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	return 0;
}
