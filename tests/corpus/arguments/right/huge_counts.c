/*
 * processes: 2
 * why: counts near the limit, of types that hold little or nothing, and types larger than 4 GB
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, n;
	char x = 0;
	MPI_Datatype none, kilo, huge, sparse;
	MPI_Status st;
	MPI_Count size, lb, extent, elements;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_contiguous(0, MPI_INT, &none);
	MPI_Type_contiguous(1 << 20, MPI_DOUBLE, &kilo);
	MPI_Type_contiguous(1 << 20, kilo, &huge);
	MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)1 << 40, &sparse);
	MPI_Type_commit(&none);
	MPI_Type_commit(&huge);
	MPI_Type_commit(&sparse);
	MPI_Type_size_x(huge, &size);
	MPI_Type_get_extent_x(huge, &lb, &extent);
	MPI_Sendrecv(&x, INT_MAX, none, !rank, 0, &x, INT_MAX, none, !rank, 0, MPI_COMM_WORLD, &st);
	MPI_Send(&x, INT_MAX, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MPI_Recv(&x, 1000, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &st);
	MPI_Status_set_elements_x(&st, MPI_BYTE, (MPI_Count)1 << 40);
	MPI_Get_elements_x(&st, MPI_BYTE, &elements);
	int y = rank, z;
	MPI_Sendrecv(&y, 1, sparse, !rank, 0, &z, 1, sparse, !rank, 0, MPI_COMM_WORLD, &st);
	MPI_Request r[2];
	MPI_Irecv(&z, 1, huge, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(&y, 3, sparse, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Get_count(&st, MPI_INT, &n);
	MPI_Type_free(&none), MPI_Type_free(&kilo), MPI_Type_free(&huge), MPI_Type_free(&sparse);
	printf("%lld %lld %lld %d\n", (long long)size, (long long)extent, (long long)elements, n);
	MPI_Finalize();
	return 0;
}
