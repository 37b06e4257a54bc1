/* Neighbourhood collectives against topologies; topologies, groups and other arguments against each other. */
#include "job.h"

static struct job j;

/* Digests of arrays are their addresses here: each list has one of its own. */
static void topology(int rank, const char *kind, const int64_t *in, int nin, const int64_t *out, int nout)
{
	static uint64_t digest = 1000;
	char text[160];
	uint64_t a = nin ? digest++ : 0, b = nout ? digest++ : 0;
	if (a)
		job_array(&j, rank, a, in, nin);
	if (b)
		job_array(&j, rank, b, out, nout);
	snprintf(text, sizeof text, "check topology comm=2 kind=%s sources=%llu destinations=%llu", kind,
		(unsigned long long)a, (unsigned long long)b);
	raw_note(&j.p[rank].log, RAW_LANES, text);
}

/* All of the world on a ring: communicator 2. */
static void ring(int procs)
{
	job_begin(&j, procs);
	for (int rank = 0; rank < procs; rank++) {
		int64_t list[2] = {(rank + procs - 1) % procs, (rank + 1) % procs};
		MAKE(&j, rank, "MPI_Cart_create", 2, {"comm_old", 0}, {"ndims", 1}, {"reorder", 0});
		job_comm(&j, rank, 2, 0, 0, (1u << procs) - 1, 0);
		topology(rank, "cart", list, 2, list, 2);
	}
}

#define EXCHANGE(n, type, m, rtype) \
	{"sendcount", n}, {"sendtype", type}, {"recvcount", m}, {"recvtype", rtype}, { "comm", 2 }

static void rings(void)
{
	ring(4);
	for (int rank = 0; rank < 4; rank++)
		CALL(&j, rank, "MPI_Neighbor_alltoall", EXCHANGE(2, T_INT, 1, T_PAIR));
	job_silent(&j, "a ring");

	ring(4);
	for (int rank = 0; rank < 4; rank++)
		CALL(&j, rank, "MPI_Neighbor_alltoall", EXCHANGE(rank == 2 ? 2 : 1, T_INT, 1, T_INT));
	job_found(&j, "one sends more", "HB-COLLECTIVE-COUNT", "rank 2 sends 2 MPI_INT, rank 1 receives 1 MPI_INT");

	ring(4);
	for (int rank = 0; rank < 4; rank++)
		CALL(&j, rank, "MPI_Neighbor_allgather", EXCHANGE(1, T_INT, 1, rank == 2 ? T_FLOAT : T_INT));
	job_found(&j, "one receives another type", "HB-COLLECTIVE-TYPE",
		"rank 1 sends 1 MPI_INT, rank 2 receives 1 MPI_FLOAT");

	ring(4); /* 0 and 2 are no neighbours: what they do need not be alike */
	for (int rank = 0; rank < 4; rank++)
		CALL(&j, rank, "MPI_Ineighbor_allgather", EXCHANGE(rank % 2 + 1, T_INT, 2 - rank % 2, T_INT));
	job_silent(&j, "neighbours alone have to fit");

	ring(2); /* the same neighbour on both sides: which edge is which is left open */
	for (int rank = 0; rank < 2; rank++) {
		ARRAY(&j, rank, 7, 1, 2);
		ARRAY(&j, rank, 8, 2, 1);
		CALL(&j, rank, "MPI_Neighbor_alltoallv", {"sendcounts", 7}, {"sendtype", T_INT}, {"recvcounts", 8},
			{"recvtype", T_INT}, {"comm", 2});
	}
	job_silent(&j, "two edges");

	ring(2);
	for (int rank = 0; rank < 2; rank++) {
		ARRAY(&j, rank, 7, 1, 2);
		ARRAY(&j, rank, 8, 2, 3);
		CALL(&j, rank, "MPI_Neighbor_alltoallv", {"sendcounts", 7}, {"sendtype", T_INT}, {"recvcounts", 8},
			{"recvtype", T_INT}, {"comm", 2});
	}
	job_found(&j, "two edges, one fits neither", "HB-COLLECTIVE-COUNT", "sends 1 MPI_INT");

	ring(3);
	for (int rank = 0; rank < 3; rank++) {
		ARRAY(&j, rank, 7, 1, 1);
		ARRAY(&j, rank, 9, T_INT, rank == 1 ? T_FLOAT : T_INT);
		ARRAY(&j, rank, 10, T_INT, T_INT);
		CALL(&j, rank, "MPI_Neighbor_alltoallw", {"sendcounts", 7}, {"sendtypes", 9}, {"recvcounts", 7},
			{"recvtypes", 10}, {"comm", 2});
	}
	job_found(&j, "types of their own", "HB-COLLECTIVE-TYPE", "rank 1 sends 1 MPI_FLOAT, rank 2 receives");

	ring(3);
	for (int rank = 0; rank < 3; rank++)
		if (rank == 0)
			INSIDE(&j, rank, "MPI_Neighbor_allgather", EXCHANGE(1, T_INT, 1, T_INT));
		else
			INSIDE(&j, rank, "MPI_Neighbor_alltoall", EXCHANGE(1, T_INT, 1, T_INT));
	job_found(&j, "another call", "HB-COLLECTIVE-CALL", "rank 0 calls MPI_Neighbor_allgather");
}

static void edges(void)
{
	static const int64_t none[1] = {0}, one[1] = {1}, zero[1] = {0};
	job_begin(&j, 2); /* 0 -> 1, and nothing back */
	for (int rank = 0; rank < 2; rank++) {
		job_comm(&j, rank, 2, 0, 0, 3, 0);
		topology(rank, "dist_graph", zero, rank, one, 1 - rank);
		CALL(&j, rank, "MPI_Neighbor_alltoall", EXCHANGE(1 + rank, T_INT, 9 - 8 * rank, T_INT));
	}
	job_silent(&j, "one way");

	job_begin(&j, 2);
	for (int rank = 0; rank < 2; rank++) {
		job_comm(&j, rank, 2, 0, 0, 3, 0);
		topology(rank, "graph", one, 1 - rank, rank ? none : one, 1 - rank);
		CALL(&j, rank, "MPI_Neighbor_alltoall", EXCHANGE(1, T_INT, 1, T_INT));
	}
	job_found(&j, "a graph that is not symmetric", "HB-COLLECTIVE-VALUE", "names rank 1 as a destination 1 time");

	for (int wrong = 0; wrong < 2; wrong++) {
		job_begin(&j, 2);
		ARRAY(&j, 0, 5, 1, 1);
		job_remark(&j, 0, "check given sources=0 destinations=5 weights=MPI_UNWEIGHTED");
		if (wrong)
			ARRAY(&j, 1, 6, 0);
		else
			ARRAY(&j, 1, 6, 0, 0);
		job_remark(&j, 1, "check given sources=6 destinations=0 weights=MPI_UNWEIGHTED");
		for (int rank = 0; rank < 2; rank++)
			MAKE(&j, rank, "MPI_Dist_graph_create_adjacent", 2, {"comm_old", 0}, {"indegree", 0},
				{"outdegree", 0}, {"reorder", 0});
		if (wrong)
			job_found(&j, "edges once and twice", "HB-COLLECTIVE-VALUE",
				"rank 0 names rank 1 as a destination 2 times, which names it as a source 1 time");
		else
			job_silent(&j, "edges of both ends");
	}
}

static void given(void)
{
	for (int wrong = 0; wrong < 2; wrong++) {
		job_begin(&j, 4);
		for (int rank = 0; rank < 4; rank++) {
			if (wrong && rank == 1)
				ARRAY(&j, rank, 6, 4, 1);
			else
				ARRAY(&j, rank, 5, 2, 2);
			ARRAY(&j, rank, 7, 0, 0);
			job_remark(&j, rank,
				wrong && rank == 1 ? "check given dims=6 periods=7" : "check given dims=5 periods=7");
			MAKE(&j, rank, "MPI_Cart_create", 2, {"comm_old", 0}, {"ndims", 2}, {"reorder", rank == 3});
		}
		if (!wrong) {
			job_found(&j, "reorder", "HB-COLLECTIVE-VALUE", "rank 3 has reorder = 1");
			continue;
		}
		job_run(&j);
		int dims = 0;
		for (int i = 0; i < j.nfound; i++)
			dims += strstr(j.found[i].sentence,
					"rank 1 has dims = {4, 1}, ranks 0, 2-3 have dims = {2, 2}") != NULL;
		if (!check(dims == 1, "dims"))
			job_show(&j);
	}
}

static void groups(void)
{
	for (int wrong = 0; wrong < 2; wrong++) { /* {0, 1} and {2}; 1 turns it round; 3 gives one that it is not in */
		static const char *const say[4] = {
			"check given group=5", "check given group=6", "check given group=7", "check given group=7"};
		job_begin(&j, 4);
		for (int rank = 0; rank < 4; rank++) {
			ARRAY(&j, rank, 5, 0, 1);
			ARRAY(&j, rank, 6, 1, 0);
			ARRAY(&j, rank, 7, 2);
			job_remark(&j, rank, say[rank == 1 && !wrong ? 0 : rank]);
			MAKE(&j, rank, "MPI_Comm_create", -1, {"comm", 0});
		}
		if (wrong)
			job_found(&j, "another order of the group", "HB-COLLECTIVE-VALUE",
				"rank 0 gives the group {0, 1} of MPI_COMM_WORLD, and rank 1, which belongs to it, the "
				"group {1, 0}");
		else
			job_silent(&j, "groups beside each other");
	}
	job_begin(&j, 2);
	for (int rank = 0; rank < 2; rank++) {
		ARRAY(&j, rank, 5, 0, 1);
		job_remark(&j, rank, "check given group=5");
		INSIDE(&j, rank, "MPI_Comm_create_group", {"comm", 0}, {"tag", 7 + rank});
	}
	job_found(&j, "another tag", "HB-COLLECTIVE-VALUE", "and tag 7, rank 1 the group {0, 1} and tag 8");

	job_begin(&j, 2);
	ARRAY(&j, 0, 5, 0, 1);
	job_remark(&j, 0, "check given group=5");
	INSIDE(&j, 0, "MPI_Comm_create_group", {"comm", 0}, {"tag", 7});
	job_found(&j, "one of the group is gone", "HB-COLLECTIVE-MISSING", "rank 1 never takes part");
}

int main(void)
{
	rings();
	edges();
	given();
	groups();
	check_clean();
	return check_end();
}
