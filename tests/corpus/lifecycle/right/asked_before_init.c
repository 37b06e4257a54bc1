/* processes: 2
 * why: what may be called at any time is called before MPI_Init and after MPI_Finalize */
#include <mpi.h>

int main(int argc, char **argv)
{
	int flag, version, sub;
	MPI_Initialized(&flag);
	MPI_Get_version(&version, &sub);
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	MPI_Finalized(&flag);
	MPI_Initialized(&flag);
	return 0;
}
