/* processes: 2
 * expect: HB-BUFFER-WRITTEN
 * why: in the later rounds of a long loop one element in the middle of a long buffer is changed while it is sent: only the first
 *      rounds are digested whole in any case */
#include <mpi.h>

#define ROUNDS 1000
#define LATE 100

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int v[16000];
	MPI_Request r;
	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 0) {
			MPI_Isend(v, 16000, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
			if (i >= LATE)
				v[5000] = i;
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(v, 16000, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
	MPI_Finalize();
	return 0;
}
