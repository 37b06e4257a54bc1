/* processes: 2
 * expect: HB-LEAK-DATATYPE
 * why: derived types that MPI_Type_get_contents returns are new references */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Datatype inner, outer, got;
	MPI_Aint none;
	int count;
	MPI_Type_contiguous(4, MPI_INT, &inner);
	MPI_Type_contiguous(2, inner, &outer);
	MPI_Type_get_contents(outer, 1, 0, 1, &count, &none, &got);
	MPI_Type_free(&outer);
	MPI_Type_free(&inner);
	MPI_Finalize();
	return 0;
}
