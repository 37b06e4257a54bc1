/* Messages that do not fit, with errors returned: in the code of the call, in the statuses of an array. */
#include "expect.h"

static int class_of(int code)
{
	int class;
	MPI_Error_class(code, &class);
	return class;
}

int main(int argc, char **argv)
{
	int v[8] = {0}, w[2], rc, index;
	MPI_Request r[3];
	MPI_Status st, sts[3];

	Init(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		rc = MPI_Recv(w, 2, MPI_INT, 1, 1, WORLD, &st);
		CHECK(class_of(rc) == MPI_ERR_TRUNCATE);
		expect("TRUNCATED MPI_Recv(count=2, datatype=MPI_INT, source=1, tag=1, comm=WORLD)");
		Recv(v, 8, MPI_INT, 1, 2, WORLD, &st);
		out("after the error: %d", v[7]);

		Irecv(v, 4, MPI_INT, 1, 3, WORLD, &r[0]);
		Irecv(w, 2, MPI_INT, MPI_ANY_SOURCE, 4, WORLD, &r[1]);
		Irecv(v + 4, 4, MPI_INT, 1, 5, WORLD, &r[2]);
		Send(NULL, 0, MPI_INT, 1, 6, WORLD);
		for (int i = 0; i < 3; i++)
			sts[i].MPI_ERROR = MPI_SUCCESS;
		rc = MPI_Waitall(3, r, sts);
		CHECK(class_of(rc) == MPI_ERR_IN_STATUS);
		out("errors: %d %d %d", class_of(sts[0].MPI_ERROR) != MPI_SUCCESS,
			class_of(sts[1].MPI_ERROR) == MPI_ERR_TRUNCATE, class_of(sts[2].MPI_ERROR) != MPI_SUCCESS);
		expect("TRUNCATED MPI_Waitall(count=3)");
		for (int i = 0; i < 3; i++) /* what was pending (Open MPI) is still there */
			if (r[i] == MPI_REQUEST_NULL)
				unposted(&r[i]);
			else
				Wait(&r[i], &st);

		Irecv(w, 1, MPI_INT, MPI_ANY_SOURCE, 7, WORLD, &r[0]);
		r[1] = MPI_REQUEST_NULL;
		rc = MPI_Waitany(2, r, &index, &st);
		CHECK(class_of(rc) == MPI_ERR_TRUNCATE && index == 0);
		expect("TRUNCATED MPI_Waitany(count=2)");
	} else if (rank == 1) {
		for (int i = 0; i < 8; i++)
			v[i] = i;
		Send(v, 8, MPI_INT, 0, 1, WORLD);
		Send(v, 8, MPI_INT, 0, 2, WORLD);
		Recv(NULL, 0, MPI_INT, 0, 6, WORLD, &st);
		Send(v, 4, MPI_INT, 0, 3, WORLD);
		Send(v, 8, MPI_INT, 0, 4, WORLD);
		Send(v, 4, MPI_INT, 0, 5, WORLD);
		Send(v, 3, MPI_INT, 0, 7, WORLD);
	}
	Finalize();
	return 0;
}
