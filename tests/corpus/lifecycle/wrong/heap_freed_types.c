/* processes: 2
 * expect: HB-BUFFER-FREED
 * says: in memory that it has freed
 * why: each block sent was freed before the call, of all sizes that what the call itself needs may have */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	static char data[4096];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int size = 64; size <= 1024; size += 16)
		for (int blocks = 2; blocks < 8; blocks += 2) {
			int lengths[8] = {1, 1, 1, 1, 1, 1, 1, 1}, at[8] = {0, 2, 5, 9, 14, 20, 27, 35};
			MPI_Datatype type;
			MPI_Type_indexed(blocks, lengths, at, MPI_CHAR, &type);
			MPI_Type_commit(&type);
			if (rank == 0) {
				char *gone = malloc((size_t)size);
				free(gone);
				MPI_Send(gone, 1, type, 1, 0, MPI_COMM_WORLD);
			} else
				MPI_Recv(data, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Type_free(&type);
		}
	MPI_Finalize();
	return 0;
}
