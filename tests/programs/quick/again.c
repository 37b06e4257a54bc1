/* Every call that is made often, some times with the same arguments at the same place: from the second time on the recorder expects it
 * and takes a quick way. What is not usual - errors, other sizes, nulls, handles that several requests share, many requests, buffers in
 * place - comes among them, so that each quick way is left at each of its exits. */
#include "expect_coll.h"

enum { TURNS = 4, MANY = 30, SHARED = 5 };

static MPI_Request r[MANY];
static MPI_Status sts[MANY], st;
static int in[MANY][4], out_of[MANY][4];

/* To itself, so that nothing depends on others: as posted, more room than needed, a wildcard. */
static void messages(void)
{
	for (int i = 0; i < TURNS; i++) {
		out_of[0][0] = i;
		Irecv(in[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r[0]);
		Send(out_of[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF);
		Wait(&r[0], &st);
		CHECK(in[0][0] == i);
		Irecv(in[0], 4, MPI_INT, 0, 2, MPI_COMM_SELF, &r[0]);
		Send(out_of[0], i % 2 ? 4 : 3, MPI_INT, 0, 2, MPI_COMM_SELF);
		Wait(&r[0], &st);
		Irecv(in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &r[0]);
		Isend(out_of[0], 1, MPI_INT, 0, 3 + i % 2, MPI_COMM_SELF, &r[1]);
		Waitall(2, r, sts);
		CHECK(sts[0].MPI_TAG == 3 + i % 2);
		Send(out_of[0], 1, MPI_INT, MPI_PROC_NULL, 1, WORLD);
		Recv(in[0], 1, MPI_INT, MPI_PROC_NULL, 1, WORLD, &st);
		Isend(out_of[0], 1, MPI_INT, 0, 5, MPI_COMM_SELF, &r[0]);
		Recv(in[0], i % 2 ? 1 : 4, MPI_INT, 0, 5, MPI_COMM_SELF, &st);
		Wait(&r[0], &st);
		Isend(out_of[0], 1, MPI_INT, 0, 6, MPI_COMM_SELF, &r[0]);
		Recv(in[0], 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_SELF, &st);
		Wait(&r[0], &st);
		Sendrecv(
			out_of[0], 2, MPI_INT, (rank + 1) % size, 7, in[0], 3, (rank + size - 1) % size, 7, WORLD, &st);
		Sendrecv_replace(in[0], 2, MPI_INT, (rank + 1) % size, 8, (rank + size - 1) % size, 8, WORLD, &st);
	}
}

/* Small sends under way have one handle in both libraries; and there are more requests than a quick wait takes. */
static void several(void)
{
	for (int i = 0; i < TURNS; i++) {
		for (int k = 0; k < SHARED; k++)
			Irecv(in[k], 1, MPI_INT, rank, k, WORLD, &r[k]);
		for (int k = 0; k < SHARED; k++)
			Isend(out_of[k], 1, MPI_INT, rank, k, WORLD, &r[SHARED + k]);
		Waitall(2 * SHARED, r, sts);
		for (int k = 0; k < MANY / 2; k++)
			Irecv(in[k], 1, MPI_INT, rank, k, WORLD, &r[k]);
		for (int k = 0; k < MANY / 2; k++)
			Isend(out_of[k], 1, MPI_INT, rank, k, WORLD, &r[MANY / 2 + k]);
		Waitall(MANY, r, sts);
		r[0] = r[1] = r[2] = MPI_REQUEST_NULL;
		Wait(&r[0], &st);
		Waitall(3, r, sts);
		Waitall(0, r, sts);
		CHECK(Test(&r[0], &st));
	}
}

/* Which of several: by waiting, and by asking until they say yes. */
static void which(void)
{
	int index, done, at[2];
	for (int i = 0; i < TURNS; i++) {
		for (int way = 0; way < 3; way++) {
			Irecv(in[0], 1, MPI_INT, 0, 20, MPI_COMM_SELF, &r[0]);
			Irecv(in[1], 2, MPI_INT, MPI_ANY_SOURCE, 21, MPI_COMM_SELF, &r[1]);
			CHECK(!Testall(2, r, sts));
			CHECK(!Testany(2, r, &index, &st));
			CHECK(!Testsome(2, r, &done, at, sts) && done == 0);
			Send(out_of[0], 1, MPI_INT, 0, 20, MPI_COMM_SELF);
			Send(out_of[0], 1, MPI_INT, 0, 21, MPI_COMM_SELF);
			for (int left = 2; way == 0 && left > 0; left--)
				Waitany(2, r, &index, &st);
			for (int left = 2; way == 1 && left > 0; left -= done)
				Waitsome(2, r, &done, at, sts);
			while (way == 2 && i % 2 && !Testall(2, r, sts)) {}
			for (int left = 2; way == 2 && i % 2 == 0 && left > 0; left -= index != MPI_UNDEFINED)
				while (!Testany(2, r, &index, &st)) {}
		}
		Waitany(2, r, &index, &st);
		CHECK(index == MPI_UNDEFINED);
		Waitsome(2, r, &done, at, sts);
		CHECK(done == MPI_UNDEFINED);
		CHECK(Testsome(2, r, &done, at, sts) && done == MPI_UNDEFINED);
	}
}

/* Requests of which more is known than of a message that was just posted. */
static void others(void)
{
	for (int i = 0; i < TURNS; i++) {
		out_of[0][0] = 7 * i;
		Ibcast(out_of[0], 1, MPI_INT, 0, WORLD, &r[0]);
		Irecv(in[0], 1, MPI_INT, rank, 9, WORLD, &r[1]);
		r[2] = MPI_REQUEST_NULL;
		Send(out_of[0], 1, MPI_INT, rank, 9, WORLD);
		Waitall(3, r, sts);
		Ibarrier(WORLD, &r[0]);
		Wait(&r[0], &st);
		Recv_init(in[0], 1, MPI_INT, rank, 10, WORLD, &r[0]);
		Start(&r[0]);
		Send(out_of[0], 1, MPI_INT, rank, 10, WORLD);
		Wait(&r[0], &st);
		Wait(&r[0], &st);
		Request_free(&r[0]);
		Irecv(in[0], 1, MPI_INT, rank, 11, WORLD, &r[0]);
		Cancel(&r[0]);
		Wait(&r[0], &st);
	}
}

static void polls(void)
{
	for (int i = 0; i < TURNS; i++) {
		for (int k = 0; k < TURNS; k++)
			CHECK(!Iprobe(rank, 12, WORLD, &st));
		Irecv(in[0], 1, MPI_INT, rank, 13, WORLD, &r[0]);
		for (int k = 0; k < TURNS; k++)
			CHECK(!Test(&r[0], &st));
		Isend(out_of[0], 1, MPI_INT, rank, 12, WORLD, &r[1]);
		while (!Iprobe(rank, 12, WORLD, &st)) {}
		Probe(rank, 12, WORLD, &st);
		Probe(MPI_ANY_SOURCE, 12, WORLD, &st);
		Recv(in[1], 1, MPI_INT, rank, 12, WORLD, &st);
		Wait(&r[1], &st);
		Send(out_of[0], 1, MPI_INT, rank, 13, WORLD);
		while (!Test(&r[0], &st)) {}
	}
}

static void collectives(void)
{
	int all[64], mine[64], from[64];
	for (int i = 0; i < TURNS; i++) {
		for (int k = 0; k < size; k++)
			mine[k] = 10 * rank + k + i;
		Barrier(WORLD);
		out_of[0][0] = rank == i % size ? i : -1;
		Bcast(out_of[0], 1, MPI_INT, i % size, WORLD);
		CHECK(out_of[0][0] == i);
		Allreduce(mine, all, size, MPI_INT, MPI_SUM, WORLD);
		Allreduce(i % 2 ? MPI_IN_PLACE : mine, all, size, MPI_INT, MPI_MAX, WORLD);
		Reduce(mine, all, size, MPI_INT, MPI_SUM, 0, WORLD);
		Scan(mine, all, 1, MPI_INT, MPI_SUM, WORLD);
		MPI_Gather(mine, 1, MPI_INT, all, 1, MPI_INT, 0, WORLD);
		expect("MPI_Gather(sendcount=1, sendtype=MPI_INT, %s, root=0, comm=WORLD)",
			rank == 0 ? "recvcount=1, recvtype=MPI_INT" : HERE_NOT("recvcount", "recvtype"));
		MPI_Alltoall(mine, 1, MPI_INT, from, 1, MPI_INT, WORLD);
		expect("MPI_Alltoall(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=WORLD)");
		Exscan(mine, all, 1, MPI_INT, MPI_SUM, WORLD);
	}
}

/* Calls that fail, and one that is right, at the same place. */
static void errors(void)
{
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < TURNS; i++) {
		CHECK(Send(out_of[0], 1, MPI_INT, size + 3, 1, WORLD) != MPI_SUCCESS);
		MPI_Request none = MPI_REQUEST_NULL;
		int rc = MPI_Recv(in[0], 1, MPI_INT, size + 3, 1, WORLD, &st);
		expect("MPI_Recv(count=1, datatype=MPI_INT, source=%s, tag=1, comm=WORLD)%s", rank_name(size + 3),
			ending(rc));
		rc = MPI_Isend(out_of[0], 1, MPI_INT, size + 3, 1, WORLD, &none);
		expect("MPI_Isend(count=1, datatype=MPI_INT, dest=%s, tag=1, comm=WORLD)%s", rank_name(size + 3),
			ending(rc));
		Isend(out_of[0], i % 2 ? 1 : 3, MPI_INT, rank, 14, WORLD, &r[0]);
		rc = MPI_Recv(in[0], 2, MPI_INT, rank, 14, WORLD, &st);
		if (rc == MPI_SUCCESS) {
			answer_recv(&st, 8, rank, 14);
			expect("MPI_Recv(count=2, datatype=MPI_INT, source=%s, tag=14, comm=WORLD)%s", rank_name(rank),
				ending(rc));
		} else {
			expect("TRUNCATED MPI_Recv(count=2, datatype=MPI_INT, source=%s, tag=14, comm=WORLD)",
				rank_name(rank));
		}
		CHECK((rc == MPI_SUCCESS) == i % 2);
		Wait(&r[0], &st);
	}
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	messages();
	several();
	which();
	others();
	polls();
	collectives();
	errors();
	Finalize();
	return 0;
}
