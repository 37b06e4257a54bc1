/* MPI_Abort ends the job with its code; what was recorded until then can be read. */
#include <unistd.h>

#include "expect.h"

int main(int argc, char **argv)
{
	int v;
	MPI_Status st;

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 1; i < size; i++)
			Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &st);
		expect("MPI_Abort(comm=WORLD, errorcode=7)");
		MPI_Abort(WORLD, 7);
		for (;;) /* some come back: what is called until the launcher ends the process is chance */
			pause();
	}
	Send(&rank, 1, MPI_INT, 0, 1, WORLD);
	MPI_Recv(&v, 1, MPI_INT, 0, 2, WORLD, &st); /* never comes */
	return 0;
}
