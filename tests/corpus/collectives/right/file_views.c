/* why: displacements, file types and infos of a view may differ; the file has a name with and without ./ */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_File file;
	MPI_Datatype pair;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, rank == 0 ? "hbdb_views.tmp" : "./hbdb_views.tmp",
		MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_File_set_view(file, 8 * rank, MPI_INT, rank == 0 ? MPI_INT : pair, "native", MPI_INFO_NULL);
	MPI_File_write_all(file, &value, rank, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_write_at_all(file, rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_Type_free(&pair);
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
