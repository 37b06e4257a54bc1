/* Every persistent collective, each started twice with other contents. Open MPI 4.1 has them as extensions. Not under MPICH: in that of
 * Debian 12 (4.0.2) MPI_Gather_init gives the root nothing, and others end in an error, without hbdb. */
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "expect_coll.h"

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INIT(name) MPIX_##name##_init
#define NAME(name) "MPIX_" #name "_init"
#else
#define INIT(name) MPI_##name##_init
#define NAME(name) "MPI_" #name "_init"
#endif

#define MOST 16
#define ONE "sendcount=1, sendtype=MPI_INT"
#define TO_ONE "recvcount=1, recvtype=MPI_INT"
#define IN_ALL in, 1, MPI_INT
#define OUT_ALL out_, 1, MPI_INT

static int in[MOST], out_[MOST], one[MOST], at[MOST], bytes[MOST];
static MPI_Aint far[MOST];
static MPI_Datatype types[MOST];
static MPI_Request request;

/* Everybody has 100 * turn + rank in each place of `in`; afterwards `out_` has what `wanted` says for each of n places. */
static void twice(int n, int (*wanted)(int turn, int place))
{
	MPI_Status st;
	posted(&request, false, 0, 0, 0, true);
	for (int turn = 1; turn < 3; turn++) {
		for (int i = 0; i < MOST; i++) {
			in[i] = 100 * turn + rank;
			out_[i] = -1;
		}
		Start(&request);
		Wait(&request, &st);
		for (int i = 0; i < n; i++)
			CHECK(out_[i] == wanted(turn, i));
	}
	Request_free(&request);
}

static int of_place(int turn, int place) { return 100 * turn + place; }
static int of_root(int turn, int place) { return 100 * turn + 0 * place; }
static int sum(int turn, int place) { return size * 100 * turn + size * (size - 1) / 2 + 0 * place; }
static int sum_to_me(int turn, int place) { return (rank + 1) * 100 * turn + rank * (rank + 1) / 2 + 0 * place; }
static int sum_before(int turn, int place) { return rank * 100 * turn + rank * (rank - 1) / 2 + 0 * place; }
/* on a ring the neighbours are the one before and the one behind */
static int neighbour(int turn, int place) { return 100 * turn + (rank + (place ? 1 : size - 1)) % size; }

#define EXPECT(name, arguments, ...) expect(NAME(name) "(" arguments ")", ##__VA_ARGS__)
#define REDUCER_ALL(name, n, wanted)                                                       \
	do {                                                                               \
		INIT(name)(in, out_, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request); \
		EXPECT(name, "count=1, datatype=MPI_INT, op=MPI_SUM, comm=WORLD");         \
		twice(n, wanted);                                                          \
	} while (0)

static void simple(void)
{
	INIT(Barrier)(WORLD, MPI_INFO_NULL, &request);
	EXPECT(Barrier, "comm=WORLD");
	twice(0, of_root);
	INIT(Bcast)(rank ? out_ : in, 1, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Bcast, "count=1, datatype=MPI_INT, root=0, comm=WORLD");
	twice(!!rank, of_root);
	INIT(Reduce)(in, out_, 1, MPI_INT, MPI_SUM, 0, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Reduce, "count=1, datatype=MPI_INT, op=MPI_SUM, root=0, comm=WORLD");
	twice(!rank, sum);
	REDUCER_ALL(Allreduce, 1, sum);
	REDUCER_ALL(Scan, 1, sum_to_me);
	REDUCER_ALL(Exscan, !!rank, sum_before);
	INIT(Reduce_scatter)(in, out_, one, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Reduce_scatter, "recvcounts=~0, datatype=MPI_INT, op=MPI_SUM, comm=WORLD");
	twice(1, sum);
	INIT(Reduce_scatter_block)(in, out_, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Reduce_scatter_block, "recvcount=1, datatype=MPI_INT, op=MPI_SUM, comm=WORLD");
	twice(1, sum);
}

static void rooted(void)
{
	INIT(Gather)(IN_ALL, OUT_ALL, 0, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Gather, ONE ", %s, root=0, comm=WORLD", rank ? HERE_NOT("recvcount", "recvtype") : TO_ONE);
	twice(rank ? 0 : size, of_place);
	INIT(Gatherv)(IN_ALL, out_, one, at, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Gatherv, ONE ", %s, root=0, comm=WORLD",
		rank ? HERE_NOT("recvcounts", "recvtype") : "recvcounts=~0, recvtype=MPI_INT");
	twice(rank ? 0 : size, of_place);
	INIT(Scatter)(IN_ALL, OUT_ALL, 0, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Scatter, "%s, " TO_ONE ", root=0, comm=WORLD", rank ? HERE_NOT("sendcount", "sendtype") : ONE);
	twice(1, of_root);
	INIT(Scatterv)(in, one, at, MPI_INT, OUT_ALL, 0, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Scatterv, "%s, " TO_ONE ", root=0, comm=WORLD",
		rank ? HERE_NOT("sendcounts", "sendtype") : "sendcounts=~0, sendtype=MPI_INT");
	twice(1, of_root);
}

static void all_to_all(void)
{
	INIT(Allgather)(IN_ALL, OUT_ALL, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Allgather, ONE ", " TO_ONE ", comm=WORLD");
	twice(size, of_place);
	INIT(Allgatherv)(IN_ALL, out_, one, at, MPI_INT, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Allgatherv, ONE ", recvcounts=~0, recvtype=MPI_INT, comm=WORLD");
	twice(size, of_place);
	INIT(Alltoall)(IN_ALL, OUT_ALL, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Alltoall, ONE ", " TO_ONE ", comm=WORLD");
	twice(size, of_place);
	INIT(Alltoallv)(in, one, at, MPI_INT, out_, one, at, MPI_INT, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Alltoallv, "sendcounts=~0, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=WORLD");
	twice(size, of_place);
	INIT(Alltoallw)(in, one, bytes, types, out_, one, bytes, types, WORLD, MPI_INFO_NULL, &request);
	EXPECT(Alltoallw, "sendcounts=~0, sendtypes=~0, recvcounts=~0, recvtypes=~0, comm=WORLD");
	twice(size, of_place);
}

static void neighbours(MPI_Comm ring)
{
	const char *name = comm_name(ring);
	INIT(Neighbor_allgather)(IN_ALL, OUT_ALL, ring, MPI_INFO_NULL, &request);
	EXPECT(Neighbor_allgather, ONE ", " TO_ONE ", comm=%s", name);
	twice(2, neighbour);
	INIT(Neighbor_allgatherv)(IN_ALL, out_, one, at, MPI_INT, ring, MPI_INFO_NULL, &request);
	EXPECT(Neighbor_allgatherv, ONE ", recvcounts=~0, recvtype=MPI_INT, comm=%s", name);
	twice(2, neighbour);
	INIT(Neighbor_alltoall)(IN_ALL, OUT_ALL, ring, MPI_INFO_NULL, &request);
	EXPECT(Neighbor_alltoall, ONE ", " TO_ONE ", comm=%s", name);
	twice(2, neighbour);
	INIT(Neighbor_alltoallv)(in, one, at, MPI_INT, out_, one, at, MPI_INT, ring, MPI_INFO_NULL, &request);
	EXPECT(Neighbor_alltoallv, "sendcounts=~0, sendtype=MPI_INT, recvcounts=~0, recvtype=MPI_INT, comm=%s", name);
	twice(2, neighbour);
	INIT(Neighbor_alltoallw)(in, one, far, types, out_, one, far, types, ring, MPI_INFO_NULL, &request);
	EXPECT(Neighbor_alltoallw, "sendcounts=~0, sendtypes=~0, recvcounts=~0, recvtypes=~0, comm=%s", name);
	twice(2, neighbour);
}

int main(int argc, char **argv)
{
	const int periodic = 1;
	MPI_Comm ring;

	Init(&argc, &argv);
	for (int i = 0; i < MOST; i++) {
		one[i] = 1;
		at[i] = i;
		bytes[i] = i * (int)sizeof(int);
		far[i] = bytes[i];
		types[i] = MPI_INT;
	}
	simple();
	rooted();
	all_to_all();
	MPI_Cart_create(WORLD, 1, &size, &periodic, 0, &ring);
	answer("comm=%s", made_comm(ring));
	expect("MPI_Cart_create(comm_old=WORLD, ndims=1, reorder=0)%s", ending(0));
	neighbours(ring);
	Comm_free(&ring);
	Finalize();
	return 0;
}
