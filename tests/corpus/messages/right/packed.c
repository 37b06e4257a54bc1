/* why: packed data may be received unpacked, and the other way round (MPI 4.0, 5.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[2] = {1, 2}, at = 0;
	double x = 3;
	char buffer[100];
	struct {
		int i[2];
		double x;
	} whole = {{1, 2}, 3};
	int lengths[2] = {2, 1};
	MPI_Aint where[2] = {0, 8};
	MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type;
	MPI_Type_create_struct(2, lengths, where, types, &type);
	MPI_Type_commit(&type);
	if (rank == 0) {
		MPI_Pack(values, 2, MPI_INT, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
		MPI_Pack(&x, 1, MPI_DOUBLE, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
		MPI_Send(buffer, at, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(buffer, sizeof buffer, MPI_PACKED, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&whole, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&whole, 1, type, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
