/* processes: 2
 * expect: HB-LEAK-OTHER
 * why: the info object is never freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Info info;
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "value");
	MPI_Finalize();
	return 0;
}
