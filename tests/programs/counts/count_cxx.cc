// The C++ bindings: prints how often it calls each function; the library's own calls below them do not count.
#include <mpi.h>

#include <cstdio>

int main(int argc, char **argv)
{
	MPI::Init(argc, argv);
	int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size(), v, sum = 0;
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	for (int i = 0; i < 5; i++) {
		MPI::Request r = MPI::COMM_WORLD.Irecv(&v, 1, MPI::INT, prev, 1);
		MPI::COMM_WORLD.Send(&rank, 1, MPI::INT, next, 1);
		r.Wait();
	}
	for (int i = 0; i < 3; i++)
		MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
	MPI::COMM_WORLD.Barrier();
	MPI::Finalize();
	std::printf("%d: MPI_Init 1\n%d: MPI_Comm_rank 1\n%d: MPI_Comm_size 1\n%d: MPI_Irecv 5\n%d: MPI_Send 5\n"
		"%d: MPI_Wait 5\n%d: MPI_Allreduce 3\n%d: MPI_Barrier 1\n%d: MPI_Finalize 1\n", rank, rank, rank, rank, rank,
		rank, rank, rank, rank);
	return sum == size * (size - 1) / 2 ? 0 : 1;
}
