/* A persistent broadcast as Open MPI 4.1 has it: an extension, started several times beside a wildcard receive. Later versions have it as
 * MPI_Bcast_init. */
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "expect_coll.h"

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define BCAST_INIT MPIX_Bcast_init
#define NAME "MPIX_Bcast_init"
#else
#define BCAST_INIT MPI_Bcast_init
#define NAME "MPI_Bcast_init"
#endif

int main(int argc, char **argv)
{
	int v, nothing, in, index;
	MPI_Request r[3];
	MPI_Status st, sts[3];

	Init(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	int rc = BCAST_INIT(&v, 1, MPI_INT, size, WORLD, MPI_INFO_NULL, &r[0]); /* no such root */
	CHECK(rc != MPI_SUCCESS);
	expect(NAME "(count=1, datatype=MPI_INT, root=%d, comm=WORLD)%s", size, ending(rc));
	BCAST_INIT(&v, 1, MPI_INT, size - 1, WORLD, MPI_INFO_NULL, &r[0]);
	expect(NAME "(count=1, datatype=MPI_INT, root=%d, comm=WORLD)", size - 1);
	posted(&r[0], false, 0, 0, 0, true);
	BCAST_INIT(&nothing, 0, MPI_INT, 0, WORLD, MPI_INFO_NULL, &r[1]);
	expect(NAME "(count=0, datatype=MPI_INT, root=0, comm=WORLD)");
	posted(&r[1], false, 0, 0, 0, true);
	Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r[2]);
	for (int turn = 0; turn < 4; turn++) {
		v = rank == size - 1 ? turn : -1;
		Startall(3, r);
		Send(&rank, 1, MPI_INT, (rank + turn) % size, 1, WORLD);
		Waitany(3, r, &index, &st);
		out("first %d", index);
		Waitall(3, r, sts);
		Barrier(WORLD); /* the message of the next turn does not come before it */
		CHECK(v == turn && in == (rank + size * 4 - turn) % size);
	}
	for (int i = 0; i < 3; i++)
		Request_free(&r[i]);
	Finalize();
	return 0;
}
