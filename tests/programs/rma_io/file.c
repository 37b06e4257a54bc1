/* A file written and read by all: at offsets, through a view, collectively, without blocking. */
#include "expect.h"

static void path_of(char *path, size_t bytes, const char *name)
{
	const char *dir = getenv("HB_SCRATCH");
	snprintf(path, bytes, "%s/%s", dir ? dir : "/tmp", name);
}

int main(int argc, char **argv)
{
	char path[4096];
	int v[4], got[4] = {0}, n;
	MPI_File f;
	MPI_Request r[2];
	MPI_Status st, sts[2];

	Init(&argc, &argv);
	path_of(path, sizeof path, "shared.dat");
	for (int i = 0; i < 4; i++)
		v[i] = rank * 4 + i;
	CHECK(MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) == MPI_SUCCESS);
	MPI_File_set_size(f, 0);
	MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_write_at_all(f, rank * 4, v, 4, MPI_INT, &st);
	MPI_Get_count(&st, MPI_INT, &n);
	CHECK(n == 4);
	MPI_File_sync(f);
	MPI_Barrier(WORLD);
	MPI_File_read_at(f, (rank + 1) % size * 4, got, 4, MPI_INT, &st);
	CHECK(got[3] == (rank + 1) % size * 4 + 3);
	MPI_File_iread_at(f, rank * 4, got, 4, MPI_INT, &r[0]);
	MPI_Irecv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r[1]);
	MPI_Send(&rank, 1, MPI_INT, rank, 1, WORLD);
	MPI_Waitall(2, r, sts);
	CHECK(got[0] == rank * 4 && n == rank);
	MPI_File_seek(f, rank * 4, MPI_SEEK_SET);
	MPI_File_read_all(f, got, 4, MPI_INT, &st);
	CHECK(got[2] == rank * 4 + 2);
	/* who wants no status gets as much */
	got[0] = got[3] = -1;
	MPI_File_read_at(f, rank * 4, got, 4, MPI_INT, MPI_STATUS_IGNORE);
	out("at %d: %d %d", rank * 4, got[0], got[3]);
	MPI_File_read_at_all(f, rank * 4 + 1, got, 2, MPI_INT, MPI_STATUS_IGNORE);
	out("all: %d %d %d", got[0], got[1], got[3]);
	MPI_File_seek(f, rank * 4, MPI_SEEK_SET);
	MPI_File_read(f, got + 1, 2, MPI_INT, MPI_STATUS_IGNORE);
	out("here: %d %d %d", got[1], got[2], got[3]);
	MPI_File_read_at_all_begin(f, rank * 4, got, 3, MPI_INT);
	MPI_File_read_at_all_end(f, got, MPI_STATUS_IGNORE);
	out("halves: %d %d %d", got[0], got[1], got[2]);
	MPI_File_write_ordered(f, v, 1, MPI_INT, &st);
	MPI_File_close(&f);
	if (rank == 0)
		MPI_File_delete(path, MPI_INFO_NULL);
	/* a file that is not there is an error that returns: the default for files */
	CHECK(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) != MPI_SUCCESS);
	out("read and written");
	Finalize();
	return 0;
}
