/* why: attributes with copy and delete functions; the keyval is freed before the communicator */
#include <mpi.h>
#include <stddef.h>

static int removed;
static int remove_it(MPI_Comm comm, int key, void *value, void *extra)
{
	removed++;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int key, mine = 3, flag, *got;
	MPI_Comm comm;
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, remove_it, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, &mine);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Comm_get_attr(comm, key, &got, &flag);
	MPI_Comm_free_keyval(&key);
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return !flag || removed != 2;
}
