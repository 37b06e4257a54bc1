/* died MODE FOLDER FIRST: rank 0 dies with what its record cannot say. Processes meet by files in FOLDER where no call of MPI may tell.
 *   open    three ranks: rank 0 posts a receive with wildcards that it never completes, and one behind it, which gets what the other of
 *           FIRST sends. FIRST 1: rank 1 sends first; FIRST 2: rank 2 does. Rank 0 prints what both got, and aborts
 *   started the same with a receive that MPI_Startall started with another one
 *   behind  two ranks: FIRST 0: rank 1 stands outside of MPI when rank 0 aborts; FIRST 1: it sends a message first, of which rank 0 prints whether
 *           it came within 3 s */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *folder;
static int rank;

static void path_of(const char *name, char path[4200]) { snprintf(path, 4200, "%s/%s", folder, name); }

static void make(const char *name)
{
	char path[4200];
	path_of(name, path);
	FILE *f = fopen(path, "w");
	if (f)
		fclose(f);
}

/* False: it did not come about in time; ms < 0: there is no limit. */
static int meet(const char *name, int ms)
{
	char path[4200];
	path_of(name, path);
	for (int i = 0; access(path, F_OK); i++) {
		if (ms >= 0 && i >= ms)
			return 0;
		usleep(1000);
	}
	return 1;
}

static void post(volatile int *to, int started)
{
	static int other;
	static MPI_Request open[2];
	if (started) {
		MPI_Recv_init((void *)to, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &open[0]);
		MPI_Recv_init(&other, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &open[1]);
		MPI_Startall(2, open);
	} else {
		MPI_Irecv((void *)to, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &open[0]);
	}
}

static void leave_open(int first, int started)
{
	volatile int taken = 0;
	int got = 0, token = 0;
	if (rank) {
		if (rank != first)
			meet("first", -1);
		MPI_Ssend(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD); /* over when rank 0 has it */
		make("first");
		MPI_Send(&rank, 1, MPI_INT, 0, 8 + rank, MPI_COMM_WORLD);
		pause();
	}
	post(&taken, started);
	MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 1; i <= 2; i++)
		MPI_Recv(&token, 1, MPI_INT, i, 8 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("the open one has %d, the other %d\n", taken, got);
	fflush(stdout);
	abort();
}

static void go_on(int goes)
{
	int n = 1;
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank && !goes) {
		make("stands");
		pause();
	} else if (rank) {
		MPI_Send(&n, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
		make("sent");
		pause();
	}
	if (goes)
		printf("rank 1 %s\n", meet("sent", 3000) ? "sent" : "did not send");
	else
		meet("stands", -1);
	fflush(stdout);
	abort();
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (argc < 4)
		return 2;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	folder = argv[2];
	if (strcmp(argv[1], "behind"))
		leave_open(atoi(argv[3]), !strcmp(argv[1], "started"));
	else
		go_on(atoi(argv[3]));
	return 0;
}
