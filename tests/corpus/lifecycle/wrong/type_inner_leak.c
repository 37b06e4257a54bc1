/* processes: 2
 * expect: HB-LEAK-DATATYPE
 * why: the type that the other was made of is freed, the other is not */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Datatype row, all;
	MPI_Type_contiguous(4, MPI_INT, &row);
	MPI_Type_vector(2, 1, 2, row, &all);
	MPI_Type_commit(&all);
	MPI_Type_free(&row);
	MPI_Finalize();
	return 0;
}
