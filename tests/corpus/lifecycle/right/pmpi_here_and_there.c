/*
 * processes: 2
 * why: some calls go to PMPI directly: posted by one, completed by the other
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, x = 3, y = 0;
	MPI_Request r, s;
	MPI_Comm dup, d2;
	MPI_Datatype t;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Irecv(&y, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r);
	MPI_Isend(&x, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &s);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	PMPI_Wait(&s, MPI_STATUS_IGNORE);
	x = 9;
	MPI_Irecv(&y, 1, MPI_INT, !rank, 1, MPI_COMM_WORLD, &r);
	PMPI_Send(&x, 1, MPI_INT, !rank, 1, MPI_COMM_WORLD);
	PMPI_Wait(&r, MPI_STATUS_IGNORE);
	y++;
	PMPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Barrier(dup);
	MPI_Comm_free(&dup);
	MPI_Comm_dup(MPI_COMM_WORLD, &d2);
	PMPI_Comm_free(&d2);
	PMPI_Type_contiguous(2, MPI_INT, &t);
	PMPI_Type_commit(&t);
	int a[2] = {1, 2}, b[2];
	MPI_Sendrecv(a, 1, t, !rank, 2, b, 1, t, !rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&t);
	PMPI_Barrier(MPI_COMM_WORLD);
	printf("%d %d\n", y, b[1]);
	PMPI_Finalize();
	return 0;
}
