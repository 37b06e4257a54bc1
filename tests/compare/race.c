/* Process 0 receives a number from each of the others, whoever comes first; then tells all what it made of them.
 *
 * race FOLDER RANK [any|branch|exact|matched|polls|shared|exclusive]: this rank comes first, by no message: the others wait until a file is in the folder that process 0 makes when it has received
 * the first one. With `exact` nothing follows from who it was, with `matched` it probes first, with `branch` it makes a call more where the last one was not rank 2. With `any` process 0 has a receive for each of them and asks MPI_Waitany; with `polls` it asks for the message of rank 1 by MPI_Test and
 * for that of rank 2 by MPI_Iprobe. With `shared` and `exclusive` processes 1 and 2 take such locks of process 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[4096];

static void first_came(void)
{
	FILE *f = fopen(file, "w");
	if (f)
		fclose(f);
}

static double polled(double sum)
{
	double one, two;
	int first = 0, second = 0;
	MPI_Request req;
	MPI_Irecv(&one, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, &req);
	while (!first || !second) {
		int flag = 0;
		if (!first)
			MPI_Test(&req, &first, MPI_STATUS_IGNORE);
		if (!second)
			MPI_Iprobe(2, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		if (flag) {
			MPI_Recv(&two, 1, MPI_DOUBLE, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			second = 1;
		}
		if (first || second)
			first_came();
	}
	return sum + one + two;
}

/* Which of processes 1 and 2 has a lock of process 0 before the other one. */
static void locked(int rank, int first, int type)
{
	int mine = 7, in = 0;
	MPI_Win win;
	MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank) {
		while (rank != first && access(file, F_OK))
			usleep(1000);
		MPI_Win_lock(type, 0, 0, win);
		MPI_Get(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
		if (rank == first)
			first_came();
	}
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	int rank, size, polls = argc > 3 && !strcmp(argv[3], "polls"), exact = argc > 3 && !strcmp(argv[3], "exact"),
			branch = argc > 3 && !strcmp(argv[3], "branch"), any = argc > 3 && !strcmp(argv[3], "any"),
			matched = argc > 3 && !strcmp(argv[3], "matched");
	MPI_Message message;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(file, sizeof file, "%s/came", argv[1]);
	double sum = 1, number = rank + 1;
	if (argc > 3 && (!strcmp(argv[3], "shared") || !strcmp(argv[3], "exclusive"))) {
		locked(rank, atoi(argv[2]), strcmp(argv[3], "shared") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED);
		MPI_Finalize();
		return 0;
	}
	if (rank) {
		while (rank != atoi(argv[2]) && access(file, F_OK))
			usleep(1000);
		MPI_Send(&number, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
	} else if (polls) {
		sum = polled(sum);
	} else {
		MPI_Request req[64];
		double in[64];
		for (int i = 1; any && i < size; i++)
			MPI_Irecv(&in[i], 1, MPI_DOUBLE, i, 3, MPI_COMM_WORLD, &req[i - 1]);
		for (int i = 1; i < size; i++) {
			int index = 0;
			if (any)
				MPI_Waitany(size - 1, req, &index, MPI_STATUS_IGNORE);
			else if (matched) {
				MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
				MPI_Mrecv(&in[1], 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
			} else
				MPI_Recv(&in[1], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (branch && i == 2 && in[1] < 3)
				MPI_Sendrecv_replace(in, 1, MPI_DOUBLE, 0, 4, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			sum = exact ? sum + in[index + 1] : sum / 3 + in[index + 1];
			if (i == 1)
				first_came();
		}
	}
	MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%.17g\n", sum);
	MPI_Finalize();
	return 0;
}
