/* turn FILE [silent]: two receives from anybody. Rank 2 sends only when rank 0 has received the first message: it is told so by
 * a file, and the recorder of that by an event of the program, unless `silent`. */
#include <stdio.h>
#include <unistd.h>

#include <hbdb/event.h>
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, x = 7, say = argc < 3;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	if (rank == 2) {
		while (access(argv[1], F_OK))
			usleep(100);
		if (say)
			hb_received("turn", 1, 0);
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	if (rank == 0) {
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (say)
			hb_sent("turn", 1, 0);
		fclose(fopen(argv[1], "w"));
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
