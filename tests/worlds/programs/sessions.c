/* Sessions without MPI_Init; with an argument MPI_Init comes after the first communicator. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;
	int me, n, v, sum = 0;
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
	MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
	MPI_Comm_create_from_group(g, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
	MPI_Comm_rank(c, &me);
	MPI_Comm_size(c, &n);
	if (me)
		MPI_Send(&me, 1, MPI_INT, 0, 3, c);
	else
		for (int i = 1; i < n; i++) {
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 3, c, MPI_STATUS_IGNORE);
			sum = sum * 10 + v;
		}
	MPI_Bcast(&sum, 1, MPI_INT, 0, c);
	if (!me)
		printf("sum %d\n", sum);
	MPI_Comm_free(&c);
	MPI_Group_free(&g);
	if (argc > 1) {
		MPI_Init(&argc, &argv);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Finalize();
	}
	MPI_Session_finalize(&s);
	return 0;
}
