/* A hang: two processes that take two locks, in opposite order.
 *
 * Process 0 keeps the locks of two accounts and gives each to one process at a time. Process 1 moves money from account A to B and
 * locks A, then B; process 2 moves money from B to A and locks B, then A. Process 2 has to do a calculation first, so that 1 is
 * done before 2 begins. Usually.
 *
 * usage: mpirun -n 3 transfer */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { TAG_LOCK = 1, TAG_LOCKED, TAG_UNLOCK };
enum { ACCOUNTS = 2, NOBODY = -1 };

static void lock(int account)
{
	MPI_Send(&account, 1, MPI_INT, 0, TAG_LOCK, MPI_COMM_WORLD);
	MPI_Recv(&account, 1, MPI_INT, 0, TAG_LOCKED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void unlock(int account) { MPI_Send(&account, 1, MPI_INT, 0, TAG_UNLOCK, MPI_COMM_WORLD); }

/* Moves money between two accounts that nobody else may touch meanwhile. */
static void transfer(int from, int to)
{
	lock(from);
	lock(to);
	unlock(to);
	unlock(from);
}

/* Gives the locks out until every process has taken each of them once. */
static void serve(int processes)
{
	int owner[ACCOUNTS] = {NOBODY, NOBODY}, waiting[ACCOUNTS] = {NOBODY, NOBODY};
	for (int left = 2 * processes; left > 0;) {
		int account;
		MPI_Status status;
		MPI_Recv(&account, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_UNLOCK) {
			owner[account] = waiting[account];
			waiting[account] = NOBODY;
			left--;
		} else if (owner[account] == NOBODY)
			owner[account] = status.MPI_SOURCE;
		else {
			waiting[account] = status.MPI_SOURCE;
			continue;
		}
		if (owner[account] != NOBODY)
			MPI_Send(&account, 1, MPI_INT, owner[account], TAG_LOCKED, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		serve(2);
	else if (rank == 1)
		transfer(0, 1);
	else if (rank == 2) {
		usleep(5000); /* the calculation */
		transfer(1, 0);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("both transfers are done\n");
	MPI_Finalize();
	return 0;
}
