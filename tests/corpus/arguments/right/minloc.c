/* why: pairs, logical and bitwise operations, each on types that it is for */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct {
		double x;
		int i;
	} best = {rank, rank}, all;
	int flag = rank, any;
	unsigned char bits = 1 << rank, both;
	_Bool yes = 1, every;
	MPI_Allreduce(&best, &all, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
	MPI_Allreduce(&flag, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
	MPI_Allreduce(&bits, &both, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
	MPI_Allreduce(&yes, &every, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
	MPI_Finalize();
	return all.i != 0 || both != 3;
}
