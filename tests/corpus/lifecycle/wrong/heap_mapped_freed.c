/* processes: 2
 * expect: HB-ARG-BUFFER
 * says: no memory of the process is there
 * also: HB-CRASH HB-MESSAGE-MISSING HB-DEADLOCK-ORPHAN HB-FINALIZE-MISSING HB-HANG
 * why: the mapping that is sent was given back */
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	char *data = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (rank == 0) {
		munmap(data, 1 << 20);
		MPI_Send(data, 1 << 20, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(data, 1 << 20, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
