/* Sums that an optimising compiler may reorder, and threads of OpenMP do: each process sends its own to process 0, which adds them up; then all add theirs by MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 5000

static float a[N], b[N];

static float dot(void)
{
	float s = 0;
#pragma omp parallel for reduction(+ : s)
	for (int i = 0; i < N; i++)
		s += a[i] * b[i];
	return s;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < N; i++) {
		a[i] = 1.0f / (float)(i + 1 + rank);
		b[i] = (float)(i % 17) - 3.0f;
	}
	float mine = dot(), all = 0, other;
	double exact[2] = {rank * 0.5, 1}, out[2]; /* the same in every build */
	MPI_Allreduce(exact, out, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (rank)
		MPI_Send(&mine, 1, MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
	for (int i = 1; !rank && i < size; i++) {
		MPI_Recv(&other, 1, MPI_FLOAT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mine += other;
	}
	MPI_Bcast(&mine, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&mine, &all, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%.9g\n", (double)all);
	MPI_Finalize();
	return 0;
}
