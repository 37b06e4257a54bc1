/* Messages without contents are messages. */
#include "expect.h"

int main(int argc, char **argv)
{
	char c = 'x';
	MPI_Status st;
	MPI_Datatype empty;

	Init(&argc, &argv);
	MPI_Type_contiguous(0, MPI_INT, &empty);
	MPI_Type_commit(&empty);
	if (rank == 0) {
		for (int i = 0; i < 2 * (size - 1); i++) {
			Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 1, WORLD, &st);
			CHECK(status_bytes(&st) == 0);
			out("empty from %d", st.MPI_SOURCE);
		}
		for (int i = 1; i < size; i++) {
			Recv(&c, 1, MPI_CHAR, i, 2, WORLD, &st); /* room for one, none comes */
			CHECK(c == 'x' && status_bytes(&st) == 0);
			Recv(&c, 5, empty, i, 3, WORLD, &st);
		}
	} else {
		Send(NULL, 0, MPI_DOUBLE, 0, 1, WORLD);
		linger(300);
		Send(&c, 0, MPI_BYTE, 0, 1, WORLD);
		Send(&c, 0, MPI_CHAR, 0, 2, WORLD);
		Send(&c, 5, empty, 0, 3, WORLD);
	}
	MPI_Type_free(&empty);
	Finalize();
	return 0;
}
