/* why: a request of the program's own */
#include <mpi.h>
#include <stddef.h>

static int query(void *extra, MPI_Status *status)
{
	MPI_Status_set_elements(status, MPI_INT, 0);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}
static int release(void *extra) { return MPI_SUCCESS; }
static int cancel(void *extra, int complete) { return MPI_SUCCESS; }

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Request request;
	MPI_Grequest_start(query, release, cancel, NULL, &request);
	MPI_Grequest_complete(request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
