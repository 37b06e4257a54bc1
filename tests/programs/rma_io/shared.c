/* Memory shared by the processes of a node, guarded by messages. */
#include "expect.h"

int main(int argc, char **argv)
{
	int *mine, *first, unit, v;
	MPI_Win win;
	MPI_Aint bytes;
	MPI_Comm node;
	MPI_Status st;

	Init(&argc, &argv);
	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
	MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		*first = 0;
		MPI_Win_sync(win);
		for (int i = 1; i < size; i++) /* each adds in its turn */
			MPI_Sendrecv(&i, 1, MPI_INT, i, 1, &v, 1, MPI_INT, i, 2, node, &st);
		MPI_Win_sync(win);
		CHECK(*first == size * (size - 1) / 2);
		out("%d", *first);
	} else {
		MPI_Recv(&v, 1, MPI_INT, 0, 1, node, &st);
		MPI_Win_sync(win);
		*first += rank;
		MPI_Win_sync(win);
		MPI_Send(&v, 1, MPI_INT, 0, 2, node);
	}
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Comm_free(&node);
	Finalize();
	return 0;
}
