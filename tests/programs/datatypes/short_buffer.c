/* A message shorter than the datatype it is received with, in a buffer that ends with the message: what lies behind may not be touched. */
#include <sys/mman.h>

#include "expect.h"

int main(int argc, char **argv)
{
	int blocks[] = {2, 1, 3}, at[] = {0, 3, 500}, v[] = {5, 6, 7}, got = 0;
	MPI_Datatype holes;
	MPI_Status st;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_indexed(3, blocks, at, MPI_INT, &holes);
	MPI_Type_commit(&holes);
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(page + 4096, 4096, PROT_NONE);
	int *buf = (int *)(page + 4096) - 4;
	buf[2] = 9;
	if (rank == 0) {
		MPI_Send(v, 3, MPI_INT, 1, 4, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(buf, 1, holes, 0, 4, MPI_COMM_WORLD, &st);
		MPI_Get_elements(&st, holes, &got);
		out("%d elements: %d %d (%d) %d", got, buf[0], buf[1], buf[2], buf[3]);
		CHECK(got == 3 && buf[0] == 5 && buf[1] == 6 && buf[2] == 9 && buf[3] == 7);
	}
	MPI_Type_free(&holes);
	MPI_Finalize();
	return 0;
}
