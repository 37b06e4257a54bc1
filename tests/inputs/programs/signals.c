/* Signals: of a timer, of another process, of itself. What the program prints depends on when their handlers ran. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks, told;
static volatile long long at;

static long long ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void on_tick(int sig)
{
	(void)sig;
	at = ns();
	ticks++;
}

static void on_told(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	told += sig == SIGUSR1 ? 1 : 100;
}

int main(int argc, char **argv)
{
	int rank, size, pid = getpid(), seen[4];
	char name[20];
	struct sigaction a = {.sa_sigaction = on_told, .sa_flags = SA_SIGINFO | SA_RESTART};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int *pids = malloc((size_t)size * sizeof *pids);
	snprintf(name, sizeof name, "out.%d", rank);
	if (!freopen(name, "w", stdout))
		MPI_Abort(MPI_COMM_WORLD, 1);
	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGUSR2, &a, NULL);
	signal(SIGALRM, on_tick);
	MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
	/* it ticks while a message is waited for, each time */
	for (int i = 0; i < 10; i++) {
		const struct itimerval once = {{0, 0}, {0, 5000}};
		int from = i % 2, n = 0;
		if (rank == from) {
			usleep(30000);
			MPI_Send(&i, 1, MPI_INT, !from, 0, MPI_COMM_WORLD);
		} else if (rank == !from) {
			setitimer(ITIMER_REAL, &once, NULL);
			MPI_Recv(&n, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			printf("%d: tick %d at %lld\n", rank, (int)ticks, at);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	/* told by the next one, while it asks for messages */
	kill(pids[(rank + 1) % size], SIGUSR1);
	while (!told)
		usleep(100);
	kill(pid, SIGUSR2);
	seen[0] = ticks;
	seen[1] = told;
	MPI_Allreduce(seen, seen + 2, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("%d: told %d, of all %d %d\n", rank, (int)told, seen[2], seen[3]);
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
