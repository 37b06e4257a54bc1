/* Messages that fill a small disk with contents; after them a communicator is made and used, of which nothing can be kept any more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 600, BYTES = 4096 };

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Comm late;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	char *bytes = malloc(BYTES);
	for (int i = 0; i < MESSAGES; i++) {
		for (int k = 0; k < BYTES; k++)
			bytes[k] = (char)(rand() >> 8);
		MPI_Sendrecv_replace(bytes, BYTES, MPI_CHAR, (rank + 1) % size, 1, (rank + size - 1) % size, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Comm_dup(MPI_COMM_WORLD, &late);
	int counts[8], places[8], all[16];
	for (int i = 0; i < size; i++) {
		counts[i] = i + 1;
		places[i] = i * (i + 1) / 2;
	}
	MPI_Allgatherv(counts, rank + 1, MPI_INT, all, counts, places, MPI_INT, late);
	MPI_Comm_free(&late);
	MPI_Finalize();
	return 0;
}
