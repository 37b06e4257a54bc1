/* MPI_Waitall that fails while another of its requests cannot be complete yet: its message is sent when it has returned. */
#include "expect.h"

int main(int argc, char **argv)
{
	int big[3] = {1, 2, 3}, small[2] = {0, 0}, late = 0;
	MPI_Request r[3];
	MPI_Status st[3];

	Init(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Irecv(&small[0], 1, MPI_INT, 1, 1, WORLD, &r[0]);
		MPI_Irecv(&small[1], 1, MPI_INT, 1, 2, WORLD, &r[1]);
		MPI_Irecv(&late, 1, MPI_INT, 1, 3, WORLD, &r[2]);
		int code = MPI_Waitall(3, r, st), class;
		CHECK(code == MPI_ERR_IN_STATUS);
		for (int i = 0; i < 3; i++) {
			MPI_Error_class(st[i].MPI_ERROR, &class);
			out("%d: %s", i,
				class == MPI_ERR_TRUNCATE  ? "truncated"
				: class == MPI_ERR_PENDING ? "pending"
							   : "?");
		}
		MPI_Send(NULL, 0, MPI_INT, 1, 4, WORLD);
		MPI_Wait(&r[2], &st[2]);
		CHECK(late == 9);
	} else {
		MPI_Send(big, 2, MPI_INT, 0, 1, WORLD);
		MPI_Send(big, 3, MPI_INT, 0, 2, WORLD);
		late = 9;
		MPI_Recv(NULL, 0, MPI_INT, 0, 4, WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&late, 1, MPI_INT, 0, 3, WORLD);
	}
	Finalize();
	return 0;
}
