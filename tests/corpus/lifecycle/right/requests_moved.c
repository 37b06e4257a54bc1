/*
 * processes: 2
 * why: requests move in memory: grown arrays, compacted ones, copies
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, n = 0, room = 2, x[40], y[40], done = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Request *r = malloc(room * sizeof *r);
	for (int i = 0; i < 20; i++) {
		if (n + 2 > room) {
			MPI_Request *more = malloc(2 * room * sizeof *r);
			memcpy(more, r, n * sizeof *r);
			free(r);
			r = more;
			room *= 2;
		}
		y[i] = i;
		MPI_Irecv(&x[i], 1, MPI_INT, !rank, i, MPI_COMM_WORLD, &r[n++]);
		MPI_Isend(&y[i], 1, MPI_INT, !rank, i, MPI_COMM_WORLD, &r[n++]);
		/* those that are done go, the others move up */
		int k = 0, flag;
		for (int j = 0; j < n; j++) {
			MPI_Test(&r[j], &flag, MPI_STATUS_IGNORE);
			if (!flag)
				r[k++] = r[j];
			else
				done++;
		}
		n = k;
	}
	while (n) {
		int index;
		MPI_Waitany(n, r, &index, MPI_STATUS_IGNORE);
		r[index] = r[--n];
		done++;
	}
	for (int i = 0; i < 20; i++)
		x[i] = y[i] = 0;
	free(r);
	MPI_Barrier(MPI_COMM_WORLD);
	printf("%d\n", done);
	MPI_Finalize();
	return 0;
}
