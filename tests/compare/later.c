/* What is over in a later call than it began in, and what is read: later FOLDER WHAT
 *
 * Each process gets two messages and a sum by one MPI_Waitall, reads a file that process 0 wrote, also in two halves, fetches numbers of its neighbour's window and
 * gets a message in parts. WHAT of process 1 is another one: second (of the two messages), sum (what it gives), read, halves, fetch, locked, part; shared: there is a window more, whose memory
 * they share; same: nothing is. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, next, before;
static const char *what;

static double other(const char *name, int who) { return !strcmp(what, name) && rank == who ? 0.5 : 0; }

static void together(void)
{
	double out[2] = {rank + 1, rank + 2 + other("second", 1)}, in[2], mine = rank + other("sum", 1), sum;
	MPI_Request req[5];
	MPI_Irecv(&in[0], 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &req[0]);
	MPI_Irecv(&in[1], 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &req[1]);
	MPI_Isend(&out[1], 1, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &req[2]); /* the second */
	MPI_Isend(&out[0], 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &req[3]);
	MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &req[4]);
	MPI_Waitall(5, req, MPI_STATUSES_IGNORE);
}

static void file(const char *folder)
{
	char path[4096];
	int in[4] = {1, 2, 3, 4};
	FILE *f;
	MPI_File file;
	snprintf(path, sizeof path, "%s/read", folder);
	/* not by MPI: nothing else tells of it */
	if (!rank && (f = fopen(path, "w"))) {
		in[2] += !strcmp(what, "read");
		in[3] += !strcmp(what, "halves");
		fwrite(in, sizeof in, 1, f);
		fclose(f);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
	MPI_File_read_at(file, rank % 2 * 4, in, 2, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_read_at_all_begin(file, rank % 2 * 12, in, 1, MPI_INT);
	MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
}

static void window(void)
{
	double mine[3] = {rank, rank + other("fetch", 1), rank + other("locked", 1)}, in[3], add = 1;
	void *at;
	MPI_Win win;
	MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Get(&in[0], 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win);
	MPI_Get(&in[1], 1, MPI_DOUBLE, next, 1, 1, MPI_DOUBLE, win);
	MPI_Win_fence(0, win);
	MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
	MPI_Fetch_and_op(&add, &in[2], MPI_DOUBLE, next, 2, MPI_SUM, win);
	MPI_Win_unlock(next, win);
	MPI_Win_free(&win);
	if (!strcmp(what, "shared")) {
		MPI_Win_allocate_shared(sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &at, &win);
		MPI_Win_free(&win);
	}
}

static void parts(void)
{
#if MPI_VERSION >= 4
	int out[4] = {rank, 1, 2 + (other("part", 1) > 0), 3}, in[4];
	MPI_Request req[2];
	MPI_Precv_init(in, 2, 2, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &req[0]);
	MPI_Psend_init(out, 2, 2, MPI_INT, next, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &req[1]);
	MPI_Startall(2, req);
	MPI_Pready(1, req[1]);
	MPI_Pready(0, req[1]);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	MPI_Request_free(&req[0]);
	MPI_Request_free(&req[1]);
#endif
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	next = (rank + 1) % size;
	before = (rank + size - 1) % size;
	what = argc > 2 ? argv[2] : "same";
	together();
	file(argv[1]);
	window();
	parts();
	MPI_Finalize();
	return 0;
}
