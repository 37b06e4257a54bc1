/* processes: 2
 * expect: HB-HANDLE-FREED
 * also: HB-CALL-FAILED HB-ARG-HANDLE
 * mpi: mpich
 * why: the group is freed by two variables */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Group g, copy;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_group(MPI_COMM_WORLD, &g);
	int one[1] = {0};
	MPI_Group small;
	MPI_Group_incl(g, 1, one, &small);
	copy = small;
	MPI_Group_free(&small);
	MPI_Group_free(&copy);
	MPI_Group_free(&g);
	MPI_Finalize();
	return 0;
}
