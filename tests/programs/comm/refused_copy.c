/* An attribute that lets no communicator be copied: MPI_Comm_dup fails, and says so in each process by itself. */
#include "expect_coll.h"

static int asked;

static int refuse(MPI_Comm c, int key, void *extra, void *in, void *ret_out, int *ret_flag)
{
	(void)c;
	(void)key;
	(void)extra;
	*(void **)ret_out = in;
	*ret_flag = 1;
	asked++;
	return MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
	MPI_Comm a, b = MPI_COMM_SELF;
	int key, code, class;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_set_errhandler(a, MPI_ERRORS_RETURN);
	MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(a, key, &asked);
	code = MPI_Comm_dup(a, &b);
	MPI_Error_class(code, &class);
	out("asked %d times, %s, the copy is %s", asked, code == MPI_SUCCESS ? "copied" : "refused",
		b == MPI_COMM_NULL   ? "null"
		: b == MPI_COMM_SELF ? "what it was"
				     : "there");
	MPI_Barrier(a);
	MPI_Comm_delete_attr(a, key);
	MPI_Comm_dup(a, &b);
	MPI_Barrier(b);
	MPI_Comm_free(&b);
	MPI_Comm_free(&a);
	MPI_Finalize();
	return 0;
}
