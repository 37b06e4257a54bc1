/* A program that does a bit of everything, the same in every run: halos, columns with holes, a persistent send, polls, collectives, a file.
 *
 * steps N [what] [rank] [step]: N steps; then what this rank does otherwise in this step:
 *   value    one element of its right halo is larger by 1e-3
 *   large    one element in the middle of a long message (of which a check of sixteen bits sees three pieces)
 *   column   ... of a column, whose datatype has holes
 *   started  ... of what a persistent send sends
 *   file     ... of what it writes into the file
 *   cast     ... of what it broadcasts as the root
 *   tag      it sends with another tag (and the neighbour receives with MPI_ANY_TAG)
 *   count    it gives one element less to MPI_Gather's kin
 *   call     it calls MPI_Barrier in the place of MPI_Allreduce on MPI_COMM_SELF
 *   crash    it ends by itself
 *   polls    it asks more often (which is no difference)
 * The element passes to others by the halos and the sum of all. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDE 8
#define LONG 4000 /* doubles */

static int rank, size, step;
static const char *what = "";
static int who = -1, when = -1;
static double cells[WIDE][WIDE], sums, big[LONG];

static int is(const char *word) { return !strcmp(what, word) && rank == who && step == when; }

static void halos(void)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	double out[WIDE], in[WIDE];
	MPI_Status st;
	for (int i = 0; i < WIDE; i++)
		out[i] = cells[i][WIDE - 2];
	if (is("value"))
		out[1] += 1e-3;
	MPI_Sendrecv(out, WIDE, MPI_DOUBLE, right, is("tag") ? 6 : 5, in, WIDE, MPI_DOUBLE, left, MPI_ANY_TAG,
		MPI_COMM_WORLD, &st);
	for (int i = 0; i < WIDE; i++)
		cells[i][0] = in[i];
}

/* A column, by requests that are polled. */
static void columns(MPI_Datatype column)
{
	MPI_Request req[2];
	int right = (rank + 1) % size, left = (rank + size - 1) % size, done = 0, asked = 0;
	double in[WIDE];
	if (is("column"))
		cells[5][2] += 1;
	MPI_Irecv(in, WIDE, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &req[0]);
	MPI_Isend(&cells[0][2], 1, column, left, 7, MPI_COMM_WORLD, &req[1]);
	for (int again = is("polls") ? 50 : 0; again > 0; again--) {
		int flag;
		MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	}
	while (!done) {
		MPI_Testall(2, req, &done, MPI_STATUSES_IGNORE);
		asked++;
	}
	if (is("column"))
		cells[5][2] -= 1;
	for (int i = 0; i < WIDE; i++)
		cells[i][WIDE - 1] = 0.5 * (cells[i][WIDE - 1] + in[i]);
}

static void started(MPI_Request *persistent, double *out)
{
	double in[4];
	MPI_Request req;
	out[0] = step;
	out[1] = is("started") ? -1 : rank;
	MPI_Irecv(in, 4, MPI_DOUBLE, (rank + size - 1) % size, 8, MPI_COMM_WORLD, &req);
	MPI_Start(persistent);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Wait(persistent, MPI_STATUS_IGNORE);
	sums += in[0] + in[1];
}

static void together(void)
{
	double mine = 0, all = 0, root = rank == step % size ? step + cells[1][1] : 0,
	       *many = malloc((size_t)size * WIDE * sizeof *many);
	for (int i = 1; i < WIDE - 1; i++)
		mine += cells[i][i];
	long fixed = (long)(mine * 1e6), total; /* whole numbers: no order of adding matters */
	MPI_Allreduce(&fixed, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	all = (double)total * 1e-6;
	if (is("cast"))
		root += 2;
	MPI_Bcast(&root, 1, MPI_DOUBLE, step % size, MPI_COMM_WORLD);
	MPI_Request req;
	MPI_Iallgather(cells[0], WIDE, MPI_DOUBLE, many, WIDE, MPI_DOUBLE, MPI_COMM_WORLD, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Allreduce(MPI_IN_PLACE, many, WIDE, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
	sums += all + root + many[WIDE - 1];
	free(many);
	for (int i = 1; i < WIDE - 1; i++)
		cells[i][1] = 0.25 * (cells[i][0] + cells[i][2] + all + root);
}

static void longer(void)
{
	static double in[LONG];
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	for (int i = 0; i < LONG; i++)
		big[i] = i + step;
	if (is("large"))
		big[1200] = -1;
	MPI_Sendrecv(big, LONG, MPI_DOUBLE, right, 9, in, LONG, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sums += in[17] + in[1200];
}

static void alone(void)
{
	int one = 1, other;
	if (is("call"))
		MPI_Barrier(MPI_COMM_SELF);
	else
		MPI_Allreduce(&one, &other, is("count") ? 0 : 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
	if (is("crash"))
		_exit(7);
}

static void write_out(MPI_File file)
{
	double out = is("file") ? -1 : sums;
	MPI_Status st;
	MPI_File_write_at(file, (MPI_Offset)(step * size + rank) * 8, &out, 1, MPI_DOUBLE, &st);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 3;
	what = argc > 2 ? argv[2] : "";
	who = argc > 3 ? atoi(argv[3]) : -1;
	when = argc > 4 ? atoi(argv[4]) : -1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Datatype column;
	MPI_Type_vector(WIDE, 1, WIDE, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	double out[4] = {0};
	MPI_Request persistent;
	MPI_Send_init(out, 4, MPI_DOUBLE, (rank + 1) % size, 8, MPI_COMM_WORLD, &persistent);
	MPI_File file;
	MPI_File_open(MPI_COMM_WORLD, "steps.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
	for (int i = 0; i < WIDE; i++)
		for (int k = 0; k < WIDE; k++)
			cells[i][k] = rank + i * 0.1 + k * 0.01;
	for (step = 0; step < steps; step++) {
		halos();
		columns(column);
		started(&persistent, out);
		longer();
		together();
		alone();
		write_out(file);
	}
	MPI_File_close(&file);
	MPI_Request_free(&persistent);
	MPI_Type_free(&column);
	if (!rank)
		printf("%.15g\n", sums);
	MPI_Finalize();
	return 0;
}
