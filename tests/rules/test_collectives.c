/* The rules on collectives, call by call: which belong together, and what of them has to agree. */
#include "job.h"

#define BCAST(n, type, root_) \
	{"count", n}, {"datatype", type}, {"root", root_}, { "comm", 0 }
#define REDUCE(op_) \
	{"count", 1}, {"datatype", T_INT}, {"op", op_}, { "comm", 0 }
#define GATHER(n, type, m, rtype) \
	{"sendcount", n}, {"sendtype", type}, {"recvcount", m}, {"recvtype", rtype}, {"root", 0}, { "comm", 0 }
#define ALLGATHER(n, type, m, rtype) \
	{"sendcount", n}, {"sendtype", type}, {"recvcount", m}, {"recvtype", rtype}, { "comm", 0 }

static struct job j;

static void calls(void)
{
	job_begin(&j, 3);
	ALL(&j, "MPI_Barrier", {"comm", 0});
	ALL(&j, "MPI_Bcast", BCAST(4, T_INT, 0));
	job_silent(&j, "the same calls");

	job_begin(&j, 3);
	for (int rank = 0; rank < 3; rank++)
		if (rank == 1)
			INSIDE(&j, rank, "MPI_Bcast", BCAST(1, T_INT, 0));
		else
			INSIDE(&j, rank, "MPI_Barrier", {"comm", 0});
	job_found(&j, "another call", "HB-COLLECTIVE-CALL",
		"rank 1 calls MPI_Bcast, ranks 0, 2 call MPI_Barrier: the 1st collective on WORLD");

	job_begin(&j, 3);
	ALL(&j, "MPI_Barrier", {"comm", 0});
	CALL(&j, 0, "MPI_Bcast", BCAST(1, T_INT, 0));
	job_found(
		&j, "missing", "HB-COLLECTIVE-MISSING", "ranks 1 and 2 never take part in the 2nd collective on WORLD");

	job_begin(&j, 2);
	CALL(&j, 0, "MPI_Ibarrier", {"comm", 0});
	INSIDE(&j, 1, "MPI_Barrier", {"comm", 0});
	job_found(&j, "nonblocking beside blocking", "HB-COLLECTIVE-CALL", "rank 0 calls MPI_Ibarrier");

	job_begin(&j, 2); /* all of one communicator do not order those of another */
	for (int rank = 0; rank < 2; rank++)
		MAKE(&j, rank, "MPI_Comm_dup", 2, {"comm", 0}), job_comm(&j, rank, 2, 0, 0, 3, 0);
	for (int rank = 0; rank < 2; rank++)
		for (int k = 0; k < 2; k++)
			CALL(&j, rank, "MPI_Ibarrier", {"comm", rank == k ? 0 : 2});
	job_silent(&j, "another order on two communicators, nonblocking");
}

static void arguments(void)
{
	job_begin(&j, 4);
	for (int rank = 0; rank < 4; rank++)
		CALL(&j, rank, "MPI_Bcast", BCAST(1, T_INT, rank == 3));
	job_found(&j, "another root", "HB-COLLECTIVE-ROOT", "rank 3 has root = 1, ranks 0-2 have root = 0");

	job_begin(&j, 2);
	CALL(&j, 0, "MPI_Allreduce", REDUCE(O_SUM));
	CALL(&j, 1, "MPI_Allreduce", REDUCE(O_MAX));
	job_found(&j, "another operation", "HB-COLLECTIVE-OP", "rank 0 has op = MPI_SUM, rank 1 has op = MPI_MAX");

	job_begin(&j, 2);
	ALL(&j, "MPI_Allreduce", REDUCE(O_OWN));
	job_silent(&j, "an operation of the program");

	job_begin(&j, 2);
	CALL(&j, 0, "MPI_Bcast", BCAST(4, T_INT, 0));
	CALL(&j, 1, "MPI_Bcast", BCAST(2, T_PAIR, 0));
	job_silent(&j, "the same data in other words");

	job_begin(&j, 2);
	CALL(&j, 0, "MPI_Bcast", BCAST(3, T_INT, 0));
	CALL(&j, 1, "MPI_Bcast", BCAST(2, T_PAIR, 0));
	job_found(&j, "more of it", "HB-COLLECTIVE-COUNT", "3 MPI_INT");

	job_begin(&j, 2);
	CALL(&j, 0, "MPI_Bcast", BCAST(4, T_INT, 0));
	CALL(&j, 1, "MPI_Bcast", BCAST(4, T_FLOAT, 0));
	job_found(&j, "another type", "HB-COLLECTIVE-TYPE", "4 MPI_FLOAT");

	job_begin(&j, 2);
	CALL(&j, 0, "MPI_Bcast", BCAST(0, T_INT, 0));
	CALL(&j, 1, "MPI_Bcast", BCAST(0, T_FLOAT, 0));
	job_silent(&j, "nothing of any type");
}

static void rooted(void)
{
	job_begin(&j, 3);
	for (int rank = 0; rank < 3; rank++)
		CALL(&j, rank, "MPI_Gather",
			GATHER(2, T_INT, rank ? NOT_SIGNIFICANT : 1, rank ? NOT_SIGNIFICANT : T_PAIR));
	job_silent(&j, "gather, the receive side at the root");

	job_begin(&j, 3);
	for (int rank = 0; rank < 3; rank++)
		CALL(&j, rank, "MPI_Gather",
			GATHER(rank == 2 ? 3 : 2, T_INT, rank ? NOT_SIGNIFICANT : 2, rank ? NOT_SIGNIFICANT : T_INT));
	job_found(&j, "gather, one sends more", "HB-COLLECTIVE-COUNT",
		"rank 2 sends 3 MPI_INT, rank 0 receives 2 MPI_INT");

	job_begin(&j, 2);
	for (int rank = 0; rank < 2; rank++) {
		ARRAY(&j, rank, 77, 1, 2);
		CALL(&j, rank, "MPI_Allgatherv", {"sendcount", 1}, {"sendtype", T_INT}, {"recvcounts", 77},
			{"recvtype", T_INT}, {"comm", 0});
	}
	job_found(&j, "a count of its own", "HB-COLLECTIVE-COUNT", "rank 1 sends 1 MPI_INT");

	job_begin(&j, 2);
	for (int rank = 0; rank < 2; rank++) {
		ARRAY(&j, rank, 77, 1, 2);
		CALL(&j, rank, "MPI_Allgatherv", {"sendcount", 1 + rank}, {"sendtype", T_INT}, {"recvcounts", 77},
			{"recvtype", T_INT}, {"comm", 0});
	}
	job_silent(&j, "counts of their own");

	job_begin(&j, 2); /* 0 sends one to each; 1 sends two to itself and wants one from 0 */
	for (int rank = 0; rank < 2; rank++) {
		ARRAY(&j, rank, 5, rank == 0 ? 1 : 3, rank == 0 ? 1 : 2);
		ARRAY(&j, rank, 6, 1, rank == 0 ? 3 : 2);
		CALL(&j, rank, "MPI_Alltoallv", {"sendcounts", 5}, {"sendtype", T_INT}, {"recvcounts", 6},
			{"recvtype", T_INT}, {"comm", 0});
	}
	job_silent(&j, "counts by pairs");
}

static void in_place(void)
{
	job_begin(&j, 2);
	for (int rank = 0; rank < 2; rank++) {
		job_remark(&j, rank, rank ? "check given sendbuf=given" : "check given sendbuf=MPI_IN_PLACE");
		CALL(&j, rank, "MPI_Allreduce", REDUCE(O_SUM));
	}
	job_found(&j, "in place at one", "HB-COLLECTIVE-IN-PLACE", "rank 0 has sendbuf = MPI_IN_PLACE");

	job_begin(&j, 2);
	for (int rank = 0; rank < 2; rank++)
		CALL(&j, rank, "MPI_Allgather", ALLGATHER(NOT_SIGNIFICANT, NOT_SIGNIFICANT, 1, T_INT));
	job_silent(&j, "in place everywhere");

	job_begin(&j, 2); /* of one nothing is known: the recorder says it a few times only */
	job_remark(&j, 0, "check given sendbuf=MPI_IN_PLACE");
	ALL(&j, "MPI_Allreduce", REDUCE(O_SUM));
	job_silent(&j, "in place, as far as is known");

	job_begin(&j, 2); /* the first call fits, the second with the same arguments does not */
	for (int k = 0; k < 2; k++)
		for (int rank = 0; rank < 2; rank++) {
			job_remark(
				&j, rank, k && rank ? "check given sendbuf=given" : "check given sendbuf=MPI_IN_PLACE");
			CALL(&j, rank, "MPI_Allreduce", REDUCE(O_SUM));
		}
	job_found(&j, "in place, later", "HB-COLLECTIVE-IN-PLACE", "the 2nd collective");
}

static void persistent(void)
{
	for (int wrong = 0; wrong < 2; wrong++) {
		job_begin(&j, 2);
		for (int rank = 0; rank < 2; rank++) {
			CALL(&j, rank, "MPI_Bcast_init", BCAST(1, T_INT, wrong && rank));
			int64_t request = job_posts(&j, rank);
			job_start(&j, rank, request);
			job_start(&j, rank, request);
		}
		if (wrong)
			job_found(&j, "persistent, roots", "HB-COLLECTIVE-ROOT", "MPI_Bcast_init");
		else
			job_silent(&j, "persistent");
	}
	job_begin(&j, 2);
	for (int rank = 0; rank < 2; rank++) {
		CALL(&j, rank, "MPI_Bcast_init", BCAST(1, T_INT, 0));
		int64_t request = job_posts(&j, rank);
		for (int k = 0; k <= rank; k++)
			job_start(&j, rank, request);
	}
	job_found(&j, "started once more", "HB-COLLECTIVE-MISSING", "rank 0 never takes part in the 2nd start");
}

static void between(void)
{
	for (int wrong = 0; wrong < 3; wrong++) { /* 0, 1 | 2, 3; the root is 2 */
		job_begin(&j, 4);
		for (int rank = 0; rank < 4; rank++) {
			int64_t root = rank < 2 ? 0 : rank == 2 || wrong == 1 ? HB_ROOT : HB_PROC_NULL;
			bool data = rank < 2 || root == HB_ROOT;
			unsigned low = 3, high = 12;
			job_comm(&j, rank, 2, 0, 0, rank < 2 ? low : high, 0);
			job_comm(&j, rank, 3, 2, 0, rank < 2 ? low : high, rank < 2 ? high : low);
			CALL(&j, rank, "MPI_Bcast",
				{"count", !data                     ? NOT_SIGNIFICANT
					  : wrong == 2 && rank == 1 ? 2
								    : 1},
				{"datatype", data ? T_INT : NOT_SIGNIFICANT}, {"root", root}, {"comm", 3});
		}
		if (wrong == 1)
			job_found(&j, "intercommunicator, two roots", "HB-COLLECTIVE-ROOT", "ranks 2 and 3 both");
		else if (wrong)
			job_found(&j, "intercommunicator, counts", "HB-COLLECTIVE-COUNT", "rank 1 has 2 MPI_INT");
		else
			job_silent(&j, "intercommunicator");
	}
}

int main(void)
{
	calls();
	arguments();
	rooted();
	in_place();
	persistent();
	between();
	check_clean();
	return check_end();
}
