/*
 * processes: 4
 * why: collectives of an intercommunicator, duplicated and split
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, lrank, side, x, y[4] = {0}, z[4];
	MPI_Comm half, inter, dup, part, merged;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	side = rank % 2;
	MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !side, 12, &inter);
	MPI_Comm_rank(inter, &lrank);
	MPI_Comm_dup(inter, &dup);
	MPI_Comm_split(inter, lrank, 0, &part);
	x = rank;
	MPI_Allreduce(&x, y, 1, MPI_INT, MPI_SUM, inter);
	MPI_Barrier(dup);
	MPI_Bcast(&x, 1, MPI_INT, side ? 1 : lrank == 1 ? MPI_ROOT : MPI_PROC_NULL, inter);
	MPI_Gather(&x, 1, MPI_INT, z, 1, MPI_INT, !side ? 0 : lrank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
	MPI_Scatter(z, 1, MPI_INT, &x, 1, MPI_INT, !side ? 0 : lrank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
	MPI_Allgather(&rank, 1, MPI_INT, z, 1, MPI_INT, dup);
	MPI_Alltoall(z, 1, MPI_INT, y, 1, MPI_INT, dup);
	MPI_Reduce(&rank, &x, 1, MPI_INT, MPI_MAX, side ? 0 : MPI_ROOT, part);
	MPI_Reduce_scatter_block(z, y, 1, MPI_INT, MPI_SUM, inter);
	if (side)
		MPI_Allgather(NULL, 0, MPI_INT, z, 2, MPI_INT, inter);
	else
		MPI_Allgather(y, 2, MPI_INT, NULL, 0, MPI_INT, inter);
	MPI_Intercomm_merge(inter, side, &merged);
	MPI_Request r;
	MPI_Ibarrier(merged, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Iallreduce(&rank, &x, 1, MPI_INT, MPI_SUM, inter, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Group local, remote, both;
	MPI_Comm_group(inter, &local);
	MPI_Comm_remote_group(inter, &remote);
	MPI_Group_union(local, remote, &both);
	int n;
	MPI_Group_size(both, &n);
	MPI_Group_free(&local), MPI_Group_free(&remote), MPI_Group_free(&both);
	MPI_Comm_free(&merged), MPI_Comm_free(&part), MPI_Comm_free(&dup), MPI_Comm_free(&inter), MPI_Comm_free(&half);
	if (!rank)
		printf("%d %d\n", x, n);
	MPI_Finalize();
	return 0;
}
