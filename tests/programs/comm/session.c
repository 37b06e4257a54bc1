/* Sessions pass through: a communicator made from a process set, beside the world. */
#include "expect.h"

int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Info info;
	MPI_Comm c;
	int v, n, me;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	CHECK(session != MPI_SESSION_NULL && MPI_Session_get_info(session, &info) == MPI_SUCCESS);
	MPI_Info_free(&info);
	CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
	CHECK(MPI_Comm_create_from_group(group, "hbdb.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c) == MPI_SUCCESS);
	MPI_Comm_size(c, &n);
	MPI_Comm_rank(c, &me);
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 1, &v, 1, MPI_INT, MPI_ANY_SOURCE, 1, c, MPI_STATUS_IGNORE);
	CHECK(v == (me + n - 1) % n);
	out("from %d", v);
	MPI_Comm_free(&c);
	MPI_Group_free(&group);
	MPI_Session_finalize(&session);
	MPI_Finalize();
	return 0;
}
