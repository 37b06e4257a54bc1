/* processes: 2
 * expect: HB-BUFFER-SIZE
 * why: bytes are counted where elements are meant */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	MPI_File file;
	char name[64];
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "heap_file_write.%d.tmp", rank);
	int *data = calloc(32, sizeof *data);
	MPI_File_open(
		MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
	MPI_File_write(file, data, 32 * sizeof *data, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	free(data);
	MPI_Finalize();
	return 0;
}
