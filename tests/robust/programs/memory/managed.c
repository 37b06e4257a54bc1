/* Sends memory of its own and memory that belongs to a GPU's library (argument 1), which it loads when it is running. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static char own[100], other[100];
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Bcast(own, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
	void *gpu = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!gpu)
		return 1;
	((void (*)(void *, unsigned long long))dlsym(gpu, "gpu_owns"))(other, sizeof other);
	char page[3 * 4096] = {0}; /* pages that nothing was sent from: it is looked for then */
	for (int i = 0; i < 5; i++) {
		MPI_Bcast(page + 4096, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
		MPI_Bcast(other, 100, MPI_CHAR, 0, MPI_COMM_WORLD);
	}
	printf("%d: %s\n", rank, ((unsigned long long (*)(void))dlsym(gpu, "gpu_asked"))() ? "asked" : "not asked");
	MPI_Finalize();
	return 0;
}
