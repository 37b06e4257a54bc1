/* Generalised requests beside receives: completed by the program itself, their callbacks counted. */
#include "expect.h"

static int queried, freed, cancels;

static int query(void *extra, MPI_Status *st)
{
	queried++;
	MPI_Status_set_elements(st, MPI_INT, *(int *)extra);
	MPI_Status_set_cancelled(st, 0);
	st->MPI_SOURCE = MPI_UNDEFINED;
	st->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int release(void *extra)
{
	(void)extra;
	freed++;
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	cancels++;
	return MPI_SUCCESS;
}

static void begin(int *extra, MPI_Request *r)
{
	MPI_Grequest_start(query, release, cancel, extra, r);
	expect("MPI_Grequest_start()");
	posted(r, false, 0, 0, 0, false);
}

static void complete(MPI_Request *r)
{
	int number = expect_find(r)->number;
	MPI_Grequest_complete(*r);
	(void)number;
	expect("MPI_Grequest_complete()");
}

int main(int argc, char **argv)
{
	int five = 5, v = -1, count, index;
	MPI_Request r[3];
	MPI_Status st, sts[2];

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	begin(&five, &r[0]);
	CHECK(!Test(&r[0], &st));
	complete(&r[0]);
	Wait(&r[0], &st);
	MPI_Get_count(&st, MPI_INT, &count);
	CHECK(count == 5 && freed == 1 && queried >= 1);

	begin(&five, &r[0]);
	Irecv(&v, 1, MPI_INT, prev, 1, WORLD, &r[1]);
	Send(&rank, 1, MPI_INT, next, 1, WORLD);
	Waitany(2, r, &index, &st);
	CHECK(index == 1 && v == prev);
	complete(&r[0]);
	Waitall(2, r, sts);
	CHECK(freed == 2 && r[0] == MPI_REQUEST_NULL);

	begin(&five, &r[0]);
	Cancel(&r[0]);
	CHECK(cancels == 1);
	complete(&r[0]);
	Wait(&r[0], &st);
	CHECK(freed == 3);
	Finalize();
	return 0;
}
