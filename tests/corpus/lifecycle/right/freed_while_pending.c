/* why: types, communicators and groups may be freed while communication uses them (MPI 4.0, 5.1.9, 7.4.3) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[4] = {rank, 0, 0, 0}, got[2];
	MPI_Comm comm;
	MPI_Datatype type;
	MPI_Group group;
	MPI_Request request[2];
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_group(comm, &group);
	MPI_Type_vector(2, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Irecv(got, 2, MPI_INT, 1 - rank, 0, comm, &request[0]);
	MPI_Isend(values, 1, type, 1 - rank, 0, comm, &request[1]);
	MPI_Type_free(&type);
	MPI_Group_free(&group);
	MPI_Comm_free(&comm);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
