/* MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE: who it was stands in the message. */
#include "expect.h"

#define EACH 14

static int v[EACH * 8][2];

/* What completed, as the message itself tells. */
static void from(const int *m, const char *call, int posting)
{
	CHECK(m[0] > 0 && m[0] < size);
	out("%d.%d by %s", m[0], m[1], call);
	if (posting >= 0)
		answer("#%d", posting);
	answer("source=%d tag=%d bytes=8", m[0], m[1]);
}

static void blocking(void)
{
	int m[2];
	MPI_Recv(m, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
	from(m, "Recv", -1);
	expect("MPI_Recv(count=2, datatype=MPI_INT, source=ANY, tag=ANY, comm=WORLD)%s", ending(0));
	int none = -1;
	MPI_Sendrecv(&none, 1, MPI_INT, MPI_PROC_NULL, 0, m, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD,
		MPI_STATUS_IGNORE);
	from(m, "Sendrecv", -1);
	expect("MPI_Sendrecv(sendcount=1, sendtype=MPI_INT, dest=PROC_NULL, sendtag=0, recvcount=2, recvtype=MPI_INT, "
	       "source=ANY, recvtag=ANY, comm=WORLD)%s",
		ending(0));
}

static void one_by_one(MPI_Request *r)
{
	int yes = 0, i;
	long no = 0;
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	from(v[1], "Wait", 1);
	expect("MPI_Wait()%s", ending(0));
	while (MPI_Test(&r[0], &yes, MPI_STATUS_IGNORE), !yes)
		no++;
	from(v[0], "Test", 0);
	expect("MPI_Test()%s", ending(0));
	MPI_Waitany(3, r, &i, MPI_STATUS_IGNORE);
	CHECK(i == 2);
	answer("index=%d", i);
	from(v[i], "Waitany", i);
	expect("MPI_Waitany(count=3)%s", ending(0));
	for (int turn = 0; turn < 2; turn++) {
		while (MPI_Testany(2, r + 3, &i, &yes, MPI_STATUS_IGNORE), !yes)
			no++;
		answer("index=%d", i);
		from(v[3 + i], "Testany", 3 + i);
		expect("MPI_Testany(count=2)%s", ending(0));
	}
	out("%ld times no", no);
}

static void several(MPI_Request *r, int first, int n)
{
	int done, which[8], yes;
	MPI_Waitsome(n, r + first, &done, which, MPI_STATUSES_IGNORE);
	for (int i = 0; i < done; i++) {
		answer("index=%d", which[i]);
		from(v[first + which[i]], "Waitsome", first + which[i]);
	}
	expect("MPI_Waitsome(incount=%d)%s", n, ending(0));
	for (int left = 0; left != MPI_UNDEFINED;) {
		MPI_Testsome(n, r + first, &left, which, MPI_STATUSES_IGNORE);
		for (int i = 0; i < left; i++) {
			answer("index=%d", which[i]);
			from(v[first + which[i]], "Testsome", first + which[i]);
		}
		if (left == MPI_UNDEFINED)
			answer("index=UNDEFINED");
		if (left)
			expect("MPI_Testsome(incount=%d)%s", n, ending(0));
	}
	MPI_Waitall(2, r + first + n, MPI_STATUSES_IGNORE);
	from(v[first + n], "Waitall", first + n);
	from(v[first + n + 1], "Waitall", first + n + 1);
	expect("MPI_Waitall(count=2)%s", ending(0));
	while (MPI_Testall(2, r + first + n + 2, &yes, MPI_STATUSES_IGNORE), !yes)
		;
	from(v[first + n + 2], "Testall", first + n + 2);
	from(v[first + n + 3], "Testall", first + n + 3);
	expect("MPI_Testall(count=2)%s", ending(0));
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	if (rank == 0) {
		MPI_Request r[EACH];
		blocking();
		for (int i = 0; i < 12; i++)
			Irecv(v[i], 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r[i]);
		one_by_one(r);
		several(r, 5, 3);
	} else {
		int mine = EACH / (size - 1) + (rank == 1 ? EACH % (size - 1) : 0);
		for (int i = 0; i < mine; i++) {
			int m[2] = {rank, i};
			linger(300);
			Send(m, 2, MPI_INT, 0, i, WORLD);
		}
	}
	Finalize();
	return 0;
}
