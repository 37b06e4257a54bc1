/* Calls that are made often, each some times at the same place with the same arguments, to itself. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int in[2] = {0}, out[2] = {0}, flag, index, done, indices[2], turns = argc > 1 ? atoi(argv[1]) : 1;
	MPI_Request r[2];
	MPI_Init(&argc, &argv);
	for (int i = 0; i < turns; i++) {
		MPI_Irecv(in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r[0]);
		MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
		MPI_Send(out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
		MPI_Isend(out, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &r[0]);
		MPI_Probe(0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Recv(in, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		r[1] = MPI_REQUEST_NULL;
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Sendrecv(out, 1, MPI_INT, 0, 3, in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		MPI_Isend(out, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &r[0]);
		MPI_Irecv(in, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &r[1]);
		MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
		MPI_Waitsome(2, r, &done, indices, MPI_STATUSES_IGNORE);
		MPI_Waitsome(2, r, &done, indices, MPI_STATUSES_IGNORE);
		MPI_Irecv(in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &r[0]);
		MPI_Testall(1, r, &flag, MPI_STATUSES_IGNORE);
		MPI_Testany(1, r, &index, &flag, MPI_STATUS_IGNORE);
		MPI_Testsome(1, r, &done, indices, MPI_STATUSES_IGNORE);
		MPI_Send(out, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
		MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
		MPI_Barrier(MPI_COMM_SELF);
		MPI_Bcast(out, 1, MPI_INT, 0, MPI_COMM_SELF);
		MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
	}
	MPI_Finalize();
	return 0;
}
