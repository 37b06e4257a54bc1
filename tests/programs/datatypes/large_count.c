/* The variants with MPI_Count, with numbers that are small. */
#include "expect.h"

int main(int argc, char **argv)
{
	int v[10] = {0}, sum;
	MPI_Request r;
	MPI_Status st;
	MPI_Count n;
	MPI_Datatype t;

	Init(&argc, &argv);
	MPI_Type_vector_c(3, 1, 2, MPI_INT, &t);
	MPI_Type_commit(&t);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			MPI_Recv_c(v, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
			answer_status(&st);
			expect("MPI_Recv_c(count=10, datatype=MPI_INT, source=ANY, tag=ANY, comm=WORLD)%s", ending(0));
			MPI_Get_count_c(&st, MPI_INT, &n);
			CHECK(n == 3 && v[2] == st.MPI_SOURCE);
			out("from %d", st.MPI_SOURCE);
			MPI_Irecv_c(v, 10, MPI_INT, st.MPI_SOURCE, MPI_ANY_TAG, WORLD, &r);
			expect("MPI_Irecv_c(count=10, datatype=MPI_INT, source=%d, tag=ANY, comm=WORLD)",
				st.MPI_SOURCE);
			posted(&r, true, 40, st.MPI_SOURCE, MPI_ANY_TAG, false);
			Wait(&r, &st);
		}
	} else {
		v[4] = rank;
		linger(300);
		MPI_Send_c(v, 1, t, 0, 1, WORLD);
		expect("MPI_Send_c(count=1, datatype=%s, dest=0, tag=1, comm=WORLD)", type_name(t));
		MPI_Isend_c(v, 5, MPI_INT, 0, 2, WORLD, &r);
		expect("MPI_Isend_c(count=5, datatype=MPI_INT, dest=0, tag=2, comm=WORLD)");
		posted(&r, false, 0, 0, 0, false);
		Wait(&r, &st);
	}
	MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD);
	expect("MPI_Allreduce_c(count=1, datatype=MPI_INT, op=MPI_SUM, comm=WORLD)");
	CHECK(sum == size * (size - 1) / 2);
	MPI_Type_free(&t);
	Finalize();
	return 0;
}
