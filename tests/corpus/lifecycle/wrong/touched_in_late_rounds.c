/* processes: 2
 * expect: HB-BUFFER-TOUCHED|HB-BUFFER-WRITTEN
 * why: in the later rounds of a long loop a receive buffer is used while the receive is pending: only the first rounds are watched
 *      in any case */
#include <mpi.h>

#define ROUNDS 50000 /* a share of the time is for watching: it has to be long enough for that */
#define LATE 1000

int main(int argc, char **argv)
{
	int rank, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	volatile int w[2] = {0, 0};
	int v[2] = {5, 6};
	MPI_Request r;
	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 1) {
			MPI_Irecv((void *)w, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
			if (i >= LATE)
				sum += w[0] + w[1]++;
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		} else {
			MPI_Send(v, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
		}
	}
	MPI_Finalize();
	return sum < 0;
}
