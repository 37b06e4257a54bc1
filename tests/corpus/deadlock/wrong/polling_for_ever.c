/* expect: HB-DEADLOCK-CYCLE|HB-DEADLOCK-ORPHAN|HB-HANG-POLL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG-POLL
 * why: both poll for what the other sends afterwards: a deadlock in which every process is busy */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mine = rank, other, flag = 0;
	MPI_Request request;
	MPI_Irecv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
	while (!flag) {
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		usleep(1000);
	}
	MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
