/* processes: 2
 * why: the new datatype may have the value of the one that was freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int size;
	for (int i = 1; i < 20; i++) {
		MPI_Datatype t;
		MPI_Type_contiguous(i, MPI_INT, &t);
		MPI_Type_size(t, &size);
		MPI_Type_free(&t);
	}
	MPI_Finalize();
	return 0;
}
