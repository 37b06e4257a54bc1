/* expect: HB-BUFFER-WRITTEN|HB-BUFFER-TOUCHED
 * also: HB-BUFFER-TOUCHED HB-BUFFER-WRITTEN
 * why: the send buffer of a nonblocking reduction is changed before its completion (MPI 4.0, 6.12) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1, sum;
	MPI_Request request;
	MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	value = 3;
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
