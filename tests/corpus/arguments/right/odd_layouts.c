/* processes: 1
 * why: negative strides, negative displacements, empty blocks, a type of size zero */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int values[10] = {0}, lengths[3] = {1, 0, 2}, at[3] = {4, -100, -1}, n;
	MPI_Aint lb, extent;
	MPI_Datatype type[4];
	MPI_Type_vector(3, 1, -2, MPI_INT, &type[0]);
	MPI_Type_indexed(3, lengths, at, MPI_INT, &type[1]);
	MPI_Type_contiguous(0, MPI_DOUBLE, &type[2]);
	MPI_Type_create_resized(MPI_INT, -4, 12, &type[3]);
	for (int i = 0; i < 4; i++) {
		MPI_Type_commit(&type[i]);
		MPI_Type_get_extent(type[i], &lb, &extent);
		MPI_Type_size(type[i], &n);
		MPI_Bcast(&values[5], 1, type[i], 0, MPI_COMM_SELF);
		MPI_Type_free(&type[i]);
	}
	MPI_Finalize();
	return 0;
}
