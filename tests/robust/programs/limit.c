/* Takes communicators until there are no more, and says how many that were. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static MPI_Comm all[100000];
	int n = 0, rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	while (n < 100000 && MPI_Comm_dup(MPI_COMM_SELF, &all[n]) == MPI_SUCCESS)
		n++;
	printf("%d: %d communicators\n", rank, n);
	while (n)
		MPI_Comm_free(&all[--n]);
	MPI_Finalize();
	return 0;
}
