/* Two processes whose buffers only the library in between can read; with a handler of SIGSEGV of their own.
 * `crash`: at the end process 0 reads such memory itself, without its handler. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "opaque.h"

#define BIG 100000
#define SIZE (4 * BIG)

static sigjmp_buf back;
static volatile sig_atomic_t faults;

static void faulted(int sig)
{
	(void)sig;
	faults++;
	siglongjmp(back, 1);
}

static unsigned long sum(const char *m)
{
	unsigned long s = 0;
	opaque_open();
	for (int i = 0; i < SIZE; i++)
		s = s * 31 + (unsigned char)m[i];
	opaque_close();
	return s;
}

static void exchange(char *m, int rank, int n)
{
	int counts[2] = {n / 2, n / 2}, places[2] = {0, n / 2};
	MPI_Request r = MPI_REQUEST_NULL;
	if (rank == 0) {
		MPI_Send(m, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(m + BIG, n, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(m, n, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (n == BIG) /* the other process may read it at any time */
			MPI_Send(m, n, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
		else
			MPI_Isend(m, n, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Sendrecv(m, n, MPI_BYTE, !rank, 3, m + 2 * BIG, n, MPI_BYTE, !rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Bcast(m + BIG, n, MPI_BYTE, 0, MPI_COMM_WORLD);
	MPI_Allreduce(m, m + 3 * BIG, n, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
	MPI_Alltoall(m + BIG, n / 2, MPI_BYTE, m + 2 * BIG, n / 2, MPI_BYTE, MPI_COMM_WORLD);
	MPI_Gatherv(m, n / 2, MPI_BYTE, m + 3 * BIG, counts, places, MPI_BYTE, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	struct sigaction mine = {.sa_handler = faulted}, was;
	int rank;
	sigaction(SIGSEGV, &mine, &was);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	char *m = opaque_memory(SIZE);
	opaque_open();
	for (int i = 0; i < SIZE; i++)
		m[i] = (char)(i * (rank + 3) >> 2);
	opaque_close();
	for (int round = 0; round < 3; round++) {
		exchange(m, rank, 8);
		exchange(m, rank, 300);
		exchange(m, rank, BIG);
		if (!sigsetjmp(back, 1))
			faults += 100 * *(volatile char *)m;
	}
	printf("%d: sum %lx, %d faults\n", rank, sum(m), (int)faults);
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	if (argc > 1 && !strcmp(argv[1], "crash") && rank == 0) {
		sigaction(SIGSEGV, &was, NULL);
		*m = 1;
	}
	MPI_Finalize();
	return 0;
}
