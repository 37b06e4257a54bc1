// Clocks and seeds of C++.
#include <chrono>
#include <cstdio>
#include <mpi.h>
#include <random>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	std::random_device device, other("/dev/urandom");
	std::mt19937 engine(device());
	unsigned seed = device(), further = other();
	std::printf("%d: C++ %lld %lld %lld %u %u %u\n", rank, static_cast<long long>(std::chrono::steady_clock::now().time_since_epoch().count()),
		static_cast<long long>(std::chrono::system_clock::now().time_since_epoch().count()),
		static_cast<long long>(std::chrono::high_resolution_clock::now().time_since_epoch().count()), static_cast<unsigned>(engine()), seed, further);
	MPI_Finalize();
	return 0;
}
