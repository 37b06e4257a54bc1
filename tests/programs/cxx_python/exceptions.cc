// C++: an error handler that throws is not allowed, one that remembers is; the program throws by itself afterwards.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <string>

static int seen;

static void remember(MPI_Comm *, int *code, ...) { MPI_Error_class(*code, &seen); }

static void send(int to, int value)
{
	if (MPI_Send(&value, 1, MPI_INT, to, 1, MPI_COMM_WORLD) != MPI_SUCCESS)
		throw std::runtime_error("send failed");
}

int main(int argc, char **argv)
{
	int rank, size, caught = 0;
	MPI_Errhandler handler;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_create_errhandler(remember, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	for (int to : {rank, size + 3}) {
		MPI_Request r;
		int v;
		MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r);
		try {
			send(to, 40 + rank);
		} catch (const std::exception &) {
			caught++;
			MPI_Cancel(&r);
		}
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	std::printf("%d: caught %d, class is rank: %d\n", rank, caught, seen == MPI_ERR_RANK);
	MPI_Errhandler_free(&handler);
	MPI_Finalize();
	return caught == 1 && seen == MPI_ERR_RANK ? 0 : 1;
}
