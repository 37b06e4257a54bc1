/* The same program with one thing different.  diverge MODE */
#include "../../unseen.h"
#include "robust.h"

#include <stdbool.h>
#include <time.h>

#define IS(name) (!strcmp(mode, name))
static const char *mode;

static void middle(void)
{
	int x[4] = {rank, 2, 3, 4}, y[8] = {0}, other = (rank + 1) % size;
	MPI_Comm comm = MPI_COMM_WORLD;
	int last = rank == size - 1, dest = 0, tag = 5, count = 2, root = 0;
	MPI_Datatype type = MPI_INT;
	MPI_Comm copy;
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	if (IS("dest"))
		dest = rank;
	if (IS("tag"))
		tag = 6;
	if (IS("count"))
		count = 3;
	if (IS("type"))
		type = MPI_FLOAT;
	if (IS("payload"))
		x[1] = 77;
	if (IS("comm"))
		comm = copy;
	if (IS("root"))
		root = size - 1;
	if (last && IS("exit"))
		exit(0);
	if (last && !IS("less-middle"))
		MPI_Send(x, count, type, dest, tag, comm); /* the one call that differs */
	if (last && IS("more-middle"))
		MPI_Send(x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(y, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (last && IS("order")) {
		MPI_Recv(y, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(x, 1, MPI_INT, other, 8, MPI_COMM_WORLD);
	} else {
		MPI_Send(x, 1, MPI_INT, other, 8, MPI_COMM_WORLD);
		MPI_Recv(y, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (rank == 0 && IS("more-middle"))
		take_unseen(size - 1, 5);
	MPI_Bcast(x, 4, MPI_INT, root, MPI_COMM_WORLD);
	MPI_Comm_free(&copy);
}

static double now(bool mpi)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return mpi ? MPI_Wtime() : (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Asks for what never comes until the time is over: of a clock that hbdb does not repeat, or of that of MPI. */
static void ask(double seconds, bool mpi)
{
	int flag = 0;
	for (double end = now(mpi) + seconds; !flag && now(mpi) < end;)
		MPI_Iprobe(rank, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	mode = argv[1];
	start(&argc, &argv);
	rounds(0, 20);
	middle();
	if (argc > 2 && rank == size - 1)
		ask(atof(argv[2]), IS("wtime"));
	rounds(20, 20);
	int last = rank == size - 1;
	if (last && IS("loop"))
		tell("loops");
	for (volatile long i = 0; last && IS("loop"); i++)
		;
	if (!(last && IS("less-end")))
		MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
	if (last && IS("more-end"))
		MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
	tell("end");
	MPI_Finalize();
	return 0;
}
