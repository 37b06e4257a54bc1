// C++: messages in standard containers, moved requests, a lambda that collects; exceptions cross no MPI call.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

struct Runtime {
	int rank, size;
	Runtime(int &argc, char **&argv)
	{
		MPI_Init(&argc, &argv);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
	}
	~Runtime() { MPI_Finalize(); }
};

static void check(bool good, const char *what)
{
	if (good)
		return;
	std::fprintf(stderr, "wrong: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void collect(const Runtime &mpi)
{
	std::map<int, std::vector<double>> by_source;
	std::string order;
	for (int left = 5 * (mpi.size - 1); left > 0; left--) {
		MPI_Status st;
		int n;
		MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &st);
		MPI_Get_count(&st, MPI_DOUBLE, &n);
		std::vector<double> v(n);
		MPI_Recv(v.data(), n, MPI_DOUBLE, st.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		auto &all = by_source[st.MPI_SOURCE];
		all.insert(all.end(), v.begin(), v.end());
		order += " " + std::to_string(st.MPI_SOURCE);
	}
	for (auto &[source, all] : by_source)
		check(all.size() == 15 && std::accumulate(all.begin(), all.end(), 0.0) == 15.0 * source, "sum");
	std::printf("%d:%s\n", mpi.rank, order.c_str());
}

int main(int argc, char **argv)
{
	Runtime mpi(argc, argv);
	if (mpi.rank == 0) {
		collect(mpi);
	} else {
		std::vector<MPI_Request> requests;
		std::vector<std::vector<double>> data;
		for (int n = 1; n <= 5; n++)
			data.emplace_back(n, mpi.rank);
		for (auto &v : data) {
			usleep(std::rand() % 300 + getpid() % 100);
			requests.emplace_back();
			MPI_Isend(v.data(), (int)v.size(), MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &requests.back());
		}
		std::reverse(requests.begin(), requests.end());
		MPI_Waitall((int)requests.size(), requests.data(), MPI_STATUSES_IGNORE);
	}
	return 0;
}
