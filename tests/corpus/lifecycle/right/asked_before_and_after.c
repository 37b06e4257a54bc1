/* why: some calls are allowed before MPI_Init and after MPI_Finalize (MPI 4.0, 11.4) */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int flag, version, subversion, length;
	char name[MPI_MAX_LIBRARY_VERSION_STRING];
	MPI_Initialized(&flag);
	MPI_Finalized(&flag);
	MPI_Get_version(&version, &subversion);
	MPI_Get_library_version(name, &length);
	if (!flag)
		MPI_Init(NULL, NULL);
	MPI_Finalize();
	MPI_Initialized(&flag);
	MPI_Finalized(&flag);
	MPI_Get_version(&version, &subversion);
	return !flag;
}
