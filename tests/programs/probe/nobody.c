/* Matched probes of MPI_PROC_NULL: the message is there at once, and received once. */
#include "expect.h"

int main(int argc, char **argv)
{
	MPI_Message m;
	MPI_Request r;
	MPI_Status st;
	int v = 5, flag = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &m, &st);
	CHECK(m == MPI_MESSAGE_NO_PROC && st.MPI_SOURCE == MPI_PROC_NULL);
	MPI_Mrecv(&v, 1, MPI_INT, &m, &st);
	CHECK(m == MPI_MESSAGE_NULL && v == 5);
	MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &m, &st);
	CHECK(flag && m == MPI_MESSAGE_NO_PROC);
	MPI_Imrecv(&v, 1, MPI_INT, &m, &r);
	CHECK(m == MPI_MESSAGE_NULL);
	MPI_Wait(&r, &st);
	CHECK(v == 5 && st.MPI_SOURCE == MPI_PROC_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
