/* processes: 2
 * why: the communicator is freed by an attribute of MPI_COMM_SELF, inside MPI_Finalize */
#include <stddef.h>

#include <mpi.h>

static MPI_Comm kept;

static int last(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	return MPI_Comm_free(&kept);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int key;
	MPI_Comm_dup(MPI_COMM_WORLD, &kept);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	MPI_Comm_free_keyval(&key);
	MPI_Finalize();
	return 0;
}
