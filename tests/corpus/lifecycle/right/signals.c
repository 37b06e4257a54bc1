/*
 * processes: 2
 * why: a timer's signal interrupts the calls; a handler of the program survives a fault of its own
 */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static sigjmp_buf back;
static void tick(int n) { ticks++; }
static void fault(int n) { siglongjmp(back, 1); }

int main(int argc, char **argv)
{
	int rank, x, sum = 0, faults = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct sigaction a = {.sa_handler = tick, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &a, NULL);
	a.sa_handler = fault;
	sigaction(SIGSEGV, &a, NULL);
	struct itimerval t = {{0, 500}, {0, 500}};
	setitimer(ITIMER_REAL, &t, NULL);
	for (int i = 0; i < 500; i++) {
		MPI_Sendrecv(&i, 1, MPI_INT, !rank, 0, &x, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		if (i % 100 == 0 && !sigsetjmp(back, 1))
			*(volatile int *)8 = 1;
		else if (i % 100 == 0)
			faults++;
	}
	t = (struct itimerval){{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &t, NULL);
	printf("%d %d\n", sum, faults);
	MPI_Finalize();
	return 0;
}
