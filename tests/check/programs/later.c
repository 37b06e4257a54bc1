/* Mistakes of calls that were right a hundred times before, with the same arguments at the same place. With an argument: one that
 * ends the job. With -DTOOL: a library between the program and MPI whose MPI_Ssend fails once, and sends nothing. */
#include <mpi.h>
#include <stdlib.h>

enum { ROUNDS = 150, LATE = 100, N = 64 };

#ifdef TOOL
int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	static int calls;
	if (calls++ != LATE)
		return PMPI_Ssend(buf, count, datatype, dest, tag, comm);
	PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
	return MPI_ERR_OTHER;
}
#else
static int rank, other;

static void send(const void *from, int n) { MPI_Send(from, n, MPI_INT, 1, 0, MPI_COMM_WORLD); }
static void receive(void *to, int n) { MPI_Recv(to, n, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void exchange(void *memory)
{
	if (rank == 0)
		send(memory, N);
	else
		receive(memory, N);
}

/* Sent from, and received into, after it was freed. */
static void freed(void)
{
	/* Of a size that the library does not ask for meanwhile: then the block would be its own, and no mistake. */
	void *volatile memory = calloc(1, 1000);
	for (int i = 0; i < ROUNDS; i++) {
		if (i == LATE)
			free(memory);
		exchange(memory);
	}
}

/* The block has become shorter and has its place still. */
static void shortened(void)
{
	int *volatile memory = calloc(N, sizeof *memory);
	for (int i = 0; i < ROUNDS; i++) {
		if (i == LATE) {
			int *volatile before = memory;
			memory = realloc(memory, N / 2 * sizeof *memory);
			if (memory != before)
				abort();
		}
		if (rank == 0)
			MPI_Send(memory, N, MPI_INT, 1, 0, MPI_COMM_WORLD);
		else
			receive(calloc(N, sizeof(int)), N);
	}
}

static void pend(const void *from, MPI_Request *request)
{
	MPI_Issend(from, N, MPI_INT, other, 1, MPI_COMM_WORLD, request);
}

/* What another operation is sent from that is pending is received into. There were so many of these that no register of the
 * processor watches this one. */
static void shared(void)
{
	static int memory[N], apart[N];
	MPI_Request request = MPI_REQUEST_NULL;
	for (int i = 0; i < 5000; i++) {
		pend(apart, &request);
		MPI_Recv(memory, N, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < ROUNDS; i++) {
		if (i == LATE)
			pend(memory, &request);
		if (rank == 0)
			MPI_Send(apart, N, MPI_INT, 1, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(memory, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (i == LATE) {
			MPI_Recv(apart, N, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		}
	}
}

/* One message is longer than the buffer that it is received into. */
static void cut(void)
{
	static int memory[N];
	for (int i = 0; i < ROUNDS; i++)
		if (rank == 0)
			send(memory, i == LATE ? N : N / 2);
		else
			receive(memory, N / 2);
}

static void fails(void)
{
	int value = 0;
	for (int i = 0; i < ROUNDS; i++)
		if (rank == 0)
			MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		else if (i != LATE)
			receive(&value, 1);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	if (argc == 1) {
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		freed();
		shortened();
		shared();
		cut();
	}
	fails();
	MPI_Finalize();
	return 0;
}
#endif
