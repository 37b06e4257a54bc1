/* A store, and then long work of the system, with no event of MPI: checkpoints are made on the way to the next one. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PIECES = 60, PIECE = 16 << 20 };
static long total;

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	total = 7;
	for (int i = 0; i < PIECES; i++)
		munmap(mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0),
			PIECE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return total != 7;
}
