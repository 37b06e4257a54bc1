/* Null and inactive requests, empty arrays, in every call that completes. */
#include "expect.h"

static void nulls(void)
{
	MPI_Request r = MPI_REQUEST_NULL, many[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status st, sts[3];
	int index, done, which[3];

	Wait(&r, &st);
	CHECK(st.MPI_SOURCE == MPI_ANY_SOURCE && st.MPI_TAG == MPI_ANY_TAG && status_bytes(&st) == 0);
	CHECK(Test(&r, &st));
	CHECK(Request_get_status(&r, &st));
	Waitall(3, many, sts);
	CHECK(sts[2].MPI_SOURCE == MPI_ANY_SOURCE);
	CHECK(Testall(3, many, sts));
	Waitany(3, many, &index, &st);
	CHECK(index == MPI_UNDEFINED);
	CHECK(Testany(3, many, &index, &st) && index == MPI_UNDEFINED);
	Waitsome(3, many, &done, which, sts);
	CHECK(done == MPI_UNDEFINED);
	CHECK(Testsome(3, many, &done, which, sts) && done == MPI_UNDEFINED);
}

static void nothing(void)
{
	MPI_Request r[1];
	MPI_Status st, sts[1];
	int index, done, which[1];

	Waitall(0, r, sts);
	CHECK(Testall(0, r, sts));
	Waitany(0, r, &index, &st);
	CHECK(index == MPI_UNDEFINED);
	CHECK(Testany(0, r, &index, &st) && index == MPI_UNDEFINED);
	Waitsome(0, r, &done, which, sts);
	CHECK(done == MPI_UNDEFINED);
	CHECK(Testsome(0, r, &done, which, sts) && done == MPI_UNDEFINED);
}

static void inactive(void)
{
	MPI_Request r[2];
	MPI_Status st, sts[2];
	int v, index;

	Recv_init(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &r[0]);
	r[1] = MPI_REQUEST_NULL;
	Wait(&r[0], &st);
	CHECK(Test(&r[0], &st) && st.MPI_SOURCE == MPI_ANY_SOURCE);
	CHECK(Request_get_status(&r[0], &st));
	Waitall(2, r, sts);
	CHECK(Testall(2, r, sts));
	Waitany(2, r, &index, &st);
	CHECK(index == MPI_UNDEFINED && r[0] != MPI_REQUEST_NULL);
	Request_free(&r[0]);
	CHECK(r[0] == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	nulls();
	nothing();
	inactive();
	out("done");
	Finalize();
	return 0;
}
