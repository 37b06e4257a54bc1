/* mpi: mpich
 * why: an info object may be freed after MPI_Finalize (MPI 4.0, 10); Open MPI 4 ends a program that does */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Info info[2], later;
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 2; i++)
		MPI_Info_create(&info[i]);
	MPI_Info_dup(info[0], &later);
	MPI_Info_free(&info[1]);
	MPI_Finalize();
	MPI_Info_free(&info[0]);
	return MPI_Info_free(&later);
}
