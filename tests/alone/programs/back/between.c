/* A store, and then long work of the system, with no event of MPI: checkpoints are made on the way to the next one. With an argument it asks
 * the system itself, past hbdb, how long it has run before the work, and keeps that: it does not do the same each time then. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIECES = 30, PIECE = 16 << 20 };
static long total;
static struct rusage used;

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	total = 7;
	if (argc > 1)
		syscall(SYS_getrusage, RUSAGE_SELF, &used);
	for (int i = 0; i < PIECES; i++)
		munmap(mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0),
			PIECE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return total != 7;
}
