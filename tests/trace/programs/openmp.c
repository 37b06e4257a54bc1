/* Constructs of OpenMP. */
#include <stdio.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { N = 1000 };
static double a[N];

static inline void fill(int n)
{
#pragma omp parallel for schedule(dynamic, 10)
	for (int i = 0; i < n; i++)
		a[i] = i;
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < 4; i++)
			a[i] += 0;
	}
}

int main(int argc, char **argv)
{
	double s = 0;
	(void)argc, (void)argv;
#ifdef WITH_MPI
	MPI_Init(&argc, &argv);
#endif
	for (int k = 0; k < 2; k++)
		fill(N);
#pragma omp parallel for reduction(+ : s)
	for (int i = 0; i < N; i++)
		s += a[i];
#pragma omp parallel
	{
#pragma omp for schedule(guided)
		for (unsigned long i = 4; i < N; i += 3)
			a[i] += 1;
#pragma omp for schedule(runtime) ordered
		for (int i = N - 1; i >= 0; i -= 2)
#pragma omp ordered
			a[i] += 1;
	}
#pragma omp parallel if (s < 0)
	a[0] += 1;
#pragma omp parallel sections
	{
#pragma omp section
		a[1] += 1;
#pragma omp section
		a[2] += 1;
	}
	nested();
	for (int i = 0; i < N; i++)
		s += a[i];
	printf("%g\n", s);
#ifdef WITH_MPI
	MPI_Finalize();
#endif
	return 0;
}
