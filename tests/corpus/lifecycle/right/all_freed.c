/* processes: 2
 * why: everything that is made is freed, in another order */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm c, half;
	MPI_Group g, sub;
	MPI_Datatype t, u;
	MPI_Info info;
	int first = 0;
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_group(c, &g);
	MPI_Group_incl(g, 1, &first, &sub);
	MPI_Comm_create(c, sub, &half);
	MPI_Type_contiguous(3, MPI_INT, &t);
	MPI_Type_dup(t, &u);
	MPI_Info_create(&info);
	MPI_Group_free(&g);
	MPI_Comm_free(&c);
	MPI_Group_free(&sub);
	if (half != MPI_COMM_NULL)
		MPI_Comm_free(&half);
	MPI_Type_free(&t);
	MPI_Type_free(&u);
	MPI_Info_free(&info);
	(void)rank;
	MPI_Finalize();
	return 0;
}
