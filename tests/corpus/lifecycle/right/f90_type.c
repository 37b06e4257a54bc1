/* processes: 2
 * why: types of MPI_Type_create_f90_integer are predefined and not freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Datatype t, u;
	MPI_Type_create_f90_integer(6, &t);
	MPI_Type_create_f90_integer(6, &u);
	(void)t, (void)u;
	MPI_Finalize();
	return 0;
}
