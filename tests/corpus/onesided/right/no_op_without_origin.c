/* processes: 2
   why: MPI_NO_OP reads no origin: MPI 4.0, 12.3.4, then ignores its buffer, count and datatype */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank, size, *base, got[4];
	MPI_Win win;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(4 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	for (int i = 0; i < 4; i++)
		base[i] = i;
	MPI_Win_fence(0, win);
	MPI_Get_accumulate(
		NULL, 0, MPI_DATATYPE_NULL, got, 4, MPI_INT, (rank + 1) % size, 0, 4, MPI_INT, MPI_NO_OP, win);
	MPI_Win_fence(0, win);
	MPI_Win_lock_all(0, win);
	MPI_Rget_accumulate(NULL, 0, MPI_DATATYPE_NULL, got, 4, MPI_INT, (rank + 1) % size, 0, 4, MPI_INT, MPI_NO_OP,
		win, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(win);
	MPI_Win_lock_all(0, win);
	MPI_Rget_accumulate(
		NULL, 4, MPI_INT, got, 4, MPI_INT, (rank + 1) % size, 0, 4, MPI_INT, MPI_NO_OP, win, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Get_accumulate(NULL, 0, MPI_INT, got, 4, MPI_INT, (rank + 1) % size, 0, 4, MPI_INT, MPI_NO_OP, win);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
