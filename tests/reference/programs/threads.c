/* OpenMP without marks: four arrays of the heap, two of which one line allocates by name and two in turn; a reduction; chunks that threads take as they come.
 * usage: threads [v|part] [ELEMENT]: one element of this array is wrong in the second of three rounds, where there are several threads. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };

int main(int argc, char **argv)
{
	const char *wrong = argc > 1 ? argv[1] : "";
	int element = argc > 2 ? atoi(argv[2]) : -1;
	double sum = 0, *part[2];
	double *u = calloc(N, sizeof *u), *v = calloc(N, sizeof *v); /* @named */
	for (int i = 0; i < 2; i++)
		part[i] = calloc(N, sizeof *part[i]); /* @turns */
	for (int t = 0; t < 3; t++) {
#pragma omp parallel for schedule(dynamic, 10)
		for (int i = 0; i < N; i++)
			u[i] = u[i] * 0.5 + i + 1;
		int off_v = t == 1 && !strcmp(wrong, "v"), off_part = t == 1 && !strcmp(wrong, "part");
#pragma omp parallel for schedule(dynamic, 10)
		for (int i = 0; i < N; i++) {
			int here = i == element && omp_get_num_threads() > 1;
			v[i] = 2 * u[i] + (off_v && here);
			part[0][i] = u[i] - 1;
			part[1][i] = u[i] + 1 + (off_part && here);
		}
#pragma omp parallel for schedule(dynamic, 10) reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += v[i];
	}
	printf("%.3f\n", sum);
	return 0;
}
