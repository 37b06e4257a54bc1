/* Counts the calls that it begins and that returned in a file mapped by all ranks, so that what a
 * killed process knew can be compared with its record.  killed FILE ROUNDS MICROSECONDS */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "robust.h"

struct seen {
	_Atomic long pid, begun, returned, ended;
	long pad[4];
};

static struct seen *me;

#define COUNTED(call) (atomic_fetch_add(&me->begun, 1), (call), atomic_fetch_add(&me->returned, 1))

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR), n = atoi(argv[2]), pause = atoi(argv[3]);
	struct seen *all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || all == MAP_FAILED)
		return 9;
	close(fd);
	const char *told = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
	me = &all[told ? atoi(told) : 0];
	me->pid = getpid();
	COUNTED(MPI_Init(&argc, &argv));
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int left = (rank + size - 1) % size, right = (rank + 1) % size, in[2] = {0, 0}, sum_of = 0;
	for (int i = 0; i < n; i++) {
		MPI_Request req;
		MPI_Status st;
		int root = i % size;
		COUNTED(MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, i % 1000, MPI_COMM_WORLD, &req));
		COUNTED(MPI_Send(&i, 1, MPI_INT, right, i % 1000, MPI_COMM_WORLD));
		COUNTED(MPI_Wait(&req, &st));
		COUNTED(MPI_Bcast(in, 1, MPI_INT, root, MPI_COMM_WORLD));
		COUNTED(MPI_Sendrecv(&i, 1, MPI_INT, right, 7, in, 2, MPI_INT, left, 7, MPI_COMM_WORLD, &st));
		COUNTED(MPI_Allreduce(in, &sum_of, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
		if (pause)
			usleep((useconds_t)pause);
	}
	COUNTED(MPI_Finalize());
	me->ended = 1;
	return 0;
}
