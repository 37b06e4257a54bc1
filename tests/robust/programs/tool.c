/* A tool in the way of all PMPI tools: counts some calls, asks MPI a little itself, reports at the end. */
#include <mpi.h>
#include <stdio.h>

static long sends, irecvs, waits, sums;

int MPI_Send(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	int bytes;
	sends++;
	PMPI_Type_size(type, &bytes);
	return PMPI_Send(buf, n, type, dest, tag, comm);
}

int MPI_Irecv(void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *req)
{
	irecvs++;
	return PMPI_Irecv(buf, n, type, source, tag, comm, req);
}

int MPI_Wait(MPI_Request *req, MPI_Status *st)
{
	waits++;
	return PMPI_Wait(req, st);
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	sums++;
	return PMPI_Allreduce(in, out, n, type, op, comm);
}

int MPI_Finalize(void)
{
	int rank;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("%d: tool %ld %ld %ld %ld\n", rank, sends, irecvs, waits, sums);
	fflush(stdout);
	return PMPI_Finalize();
}
