// The C++ bindings that MPI-3.0 removed and both libraries still have: MPI::COMM_WORLD.Recv and so on.
#include <mpi.h>

#include <cstdio>
#include <unistd.h>

static void check(bool good, const char *what)
{
	if (good)
		return;
	std::fprintf(stderr, "wrong: %s\n", what);
	MPI::COMM_WORLD.Abort(1);
}

static void serve(int size)
{
	int v, no = 0;
	MPI::Status st;
	for (int i = 0; i < 6 * (size - 1); i++) {
		while (!MPI::COMM_WORLD.Iprobe(MPI::ANY_SOURCE, MPI::ANY_TAG, st))
			no++;
		MPI::COMM_WORLD.Recv(&v, 1, MPI::INT, MPI::ANY_SOURCE, MPI::ANY_TAG, st);
		check(v == st.Get_source() * 10 + st.Get_tag(), "value");
		std::printf("0: %d after %d\n", v, no);
	}
	MPI::Request r[2] = {MPI::COMM_WORLD.Irecv(&v, 1, MPI::INT, MPI::ANY_SOURCE, 9), MPI::REQUEST_NULL};
	MPI::COMM_WORLD.Barrier();
	int index = MPI::Request::Waitany(2, r, st);
	std::printf("0: index %d, %d from %d\n", index, v, st.Get_source());
}

int main(int argc, char **argv)
{
	MPI::Init(argc, argv);
	int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size(), sum;
	if (rank == 0) {
		serve(size);
	} else {
		for (int i = 0; i < 6; i++) {
			int v = rank * 10 + i;
			usleep((unsigned)(getpid() * 7 + i * 131) % 400);
			MPI::COMM_WORLD.Send(&v, 1, MPI::INT, 0, i);
		}
		MPI::COMM_WORLD.Barrier();
		if (rank == size - 1)
			MPI::COMM_WORLD.Send(&rank, 1, MPI::INT, 0, 9);
	}
	MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
	half.Allreduce(&rank, &sum, 1, MPI::INT, MPI::MAX);
	check(sum >= rank && sum < size, "maximum");
	half.Free();
	MPI::Finalize();
	return 0;
}
