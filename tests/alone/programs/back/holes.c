/* A call of MPI with the next line right behind it, and after each call a function that leaves most of its room on the stack as it was: what calls before it left there is
 * part of the state of the process then. */
#include <mpi.h>
#include <stdio.h>

static volatile long stored;

static void leave_a_hole(long turn)
{
	volatile char room[16384];
	stored = turn;
	room[0] = (char)turn;
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void talk(int turn, int other, long *in)
{
	long out = turn;
	switch (turn % 2) {
	case 0:
		MPI_Sendrecv(&out, 1, MPI_LONG, other, 7, in, 1, MPI_LONG, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	default:
		MPI_Barrier(MPI_COMM_WORLD);
		break; /* behind the call */
	}
}

int main(int argc, char **argv)
{
	int rank;
	long in = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int turn = 0; turn < 6; turn++) {
		talk(turn, 1 - rank, &in);
		leave_a_hole(turn + 100);
	}
	printf("%ld\n", in);
	MPI_Finalize();
	return 0;
}
