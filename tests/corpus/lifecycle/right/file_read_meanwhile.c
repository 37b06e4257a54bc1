/* processes: 2
   why: a library may read a file in a thread of its own, at any time between MPI_File_iread and its completion */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, done;
	char name[100], into[512], from[512];
	MPI_File file;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "file-read-meanwhile.%d.tmp", rank);
	memset(from, 'x', sizeof from);
	MPI_File_open(
		MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
	MPI_File_write_at(file, 0, from, sizeof from, MPI_CHAR, MPI_STATUS_IGNORE);
	for (int i = 0; i < 20; i++) {
		memset(into, i, sizeof into);
		MPI_File_iread_at(file, 0, into, sizeof into, MPI_CHAR, &request);
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		usleep(2000); /* meanwhile it comes */
		if (!done)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_File_close(&file);
	MPI_Finalize();
	return 0;
}
