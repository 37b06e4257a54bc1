/*
 * processes: 2
 * why: sent from constants, from pages that may not be written, from a mapped file, with a hole of no memory between
 */
#include <mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const int constant[4] = {1, 2, 3, 4};

int main(int argc, char **argv)
{
	int rank, x[4], y[2];
	MPI_Request r[2];
	MPI_Datatype far;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(page, 7, 3 * 4096);
	munmap(page + 4096, 4096);
	mprotect(page, 4096, PROT_READ);
	MPI_Irecv(x, 4, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(constant, 4, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Type_vector(2, 1, 2048, MPI_INT, &far); /* a page, a hole, a page */
	MPI_Type_commit(&far);
	MPI_Irecv(y, 2, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(page, 1, far, !rank, 0, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Type_free(&far);
	int fd = open(argv[0], O_RDONLY);
	const char *file = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	MPI_Irecv(x, 16, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(file, 16, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	munmap((void *)file, 4096);
	close(fd);
	printf("%d %.3s\n", y[1] == 0x07070707, (char *)x + 1);
	MPI_Finalize();
	return 0;
}
