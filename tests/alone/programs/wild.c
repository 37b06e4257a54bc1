/* Rank 0 takes 300 messages. One of them has an index behind its table, and what it stores there ruins a pointer, which is used only at
 * the end. */
#include <mpi.h>
#include <stdio.h>

static struct {
	long cell[16];
	long *row;
} table;

static void store(long index, long value) { table.cell[index] = value; }

int main(int argc, char **argv)
{
	int rank;
	long message[2], cells[4] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	table.row = cells;
	for (long i = 0; i < 300; i++) {
		message[0] = i == 200 ? 16 : i % 16;
		message[1] = i;
		if (rank == 1)
			MPI_Send(message, 2, MPI_LONG, 0, 1, MPI_COMM_WORLD);
		if (rank == 0) {
			MPI_Recv(message, 2, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			store(message[0], message[1]);
		}
	}
	if (rank == 0)
		printf("%ld\n", table.row[1]);
	MPI_Finalize();
	return 0;
}
