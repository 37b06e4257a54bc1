/* mpi: mpich
 * expect: HB-LEAK-OTHER
 * says: never frees an info object that MPI_Info_create made
 * why: one of the two info objects made at one place is freed after MPI_Finalize, the other one is not; Open MPI 4 ends a program that does */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Info info[2];
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 2; i++)
		MPI_Info_create(&info[i]);
	MPI_Finalize();
	return MPI_Info_free(&info[0]);
}
