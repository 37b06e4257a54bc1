/*
 * processes: 2
 * why: absolute addresses from MPI_BOTTOM in messages, collectives, packing and windows
 */
#include <mpi.h>
#include <stdio.h>

static int a[4];
static double b[3];

int main(int argc, char **argv)
{
	int rank, c = 0;
	MPI_Datatype all;
	MPI_Aint at[3];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Get_address(a, &at[0]);
	MPI_Get_address(b, &at[1]);
	MPI_Get_address(&c, &at[2]);
	MPI_Type_create_struct(3, (int[]){4, 3, 1}, at, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_INT}, &all);
	MPI_Type_commit(&all);
	if (!rank)
		a[1] = 5, b[2] = 1.5, c = 9;
	MPI_Bcast(MPI_BOTTOM, 1, all, 0, MPI_COMM_WORLD);
	MPI_Request r;
	if (rank) {
		MPI_Isend(MPI_BOTTOM, 1, all, 0, 1, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		a[0] = 7;
	} else {
		MPI_Irecv(MPI_BOTTOM, 1, all, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		a[0] = 3;
	}
	MPI_Request p;
	if (rank)
		MPI_Send_init(MPI_BOTTOM, 1, all, 0, 2, MPI_COMM_WORLD, &p);
	else
		MPI_Recv_init(MPI_BOTTOM, 1, all, 1, 2, MPI_COMM_WORLD, &p);
	for (int i = 0; i < 3; i++) {
		if (rank)
			a[3] = i, b[0] = i;
		MPI_Start(&p);
		MPI_Wait(&p, MPI_STATUS_IGNORE);
		if (a[3] != i)
			printf("wrong\n");
	}
	MPI_Request_free(&p);
	double got[16];
	int sent[6] = {1, 2, 3, 4, 5, 6};
	MPI_Type_free(&all);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 2, MPI_DOUBLE, MPI_COMM_WORLD);
	(void)sent;
	printf("%d %g %d\n", a[1], b[2], c);
	MPI_Finalize();
	return 0;
}
