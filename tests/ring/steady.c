/* More messages than a small ring holds: exact and wildcard receives, completed in another order than posted, a persistent one, synchronous sends,
 * any tag, collectives, and two receives that are posted at the beginning and completed at the end. Keeps the order of messages within a channel hard.
 *
 * usage: steady ROUNDS [PAUSE] [DIES]    PAUSE: microseconds after each round; DIES: the round in which the last rank kills itself */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 1000, pause = argc > 2 ? atoi(argv[2]) : 0;
	int dies = argc > 3 ? atoi(argv[3]) : -1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm dup;
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	unsigned long seed = 1;
	int right = (rank + 1) % size, left = (rank + size - 1) % size, a, b, out[8], in[8];
	MPI_Request back, persist, ahead;
	MPI_Recv_init(&b, 1, MPI_INT, left, 77, dup, &persist);
	/* posted at once, completed at the end only */
	MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &back);
	MPI_Irecv(&out[7], 1, MPI_INT, left, 55, dup, &ahead);
	for (int i = 0; i < rounds; i++) {
		MPI_Request r[8];
		if (i == dies && rank == size - 1)
			kill(getpid(), SIGKILL);
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		int n = (int)(seed >> 60) % 4 + 1;
		for (int k = 0; k < n; k++)
			MPI_Irecv(&in[k], 1, MPI_INT, k & 1 ? MPI_ANY_SOURCE : left, 3 + k % 2, MPI_COMM_WORLD, &r[k]);
		for (int k = 0; k < n; k++) {
			out[k] = i * 8 + k;
			MPI_Send(&out[k], 1, MPI_INT, right, 3 + k % 2, MPI_COMM_WORLD);
		}
		for (int k = n; k-- > 0;)
			MPI_Wait(&r[k], MPI_STATUS_IGNORE);
		MPI_Start(&persist);
		MPI_Ssend(&i, 1, MPI_INT, right, 77, dup);
		MPI_Wait(&persist, MPI_STATUS_IGNORE);
		if (i % 3 == 0) {
			MPI_Request q;
			MPI_Isend(&i, 1, MPI_INT, right, 1000 + i % 50, dup, &q);
			MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, MPI_STATUS_IGNORE);
			MPI_Wait(&q, MPI_STATUS_IGNORE);
		}
		if (i % 9 ==
			0) { /* the first of these messages is for `ahead`, which is asked at the end only: others overtake it */
			MPI_Request late;
			MPI_Send(&i, 1, MPI_INT, right, 55, dup);
			if (i > 0) {
				MPI_Irecv(&b, 1, MPI_INT, left, 55, dup, &late);
				MPI_Wait(&late, MPI_STATUS_IGNORE);
			}
		}
		if (i % 5 == 0) {
			int sum;
			MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		}
		if (i % 7 == 0)
			MPI_Bcast(&b, 1, MPI_INT, i % size, dup);
		if (pause)
			usleep((unsigned)pause);
	}
	MPI_Send(&rank, 1, MPI_INT, right, 99, MPI_COMM_WORLD);
	MPI_Wait(&back, MPI_STATUS_IGNORE);
	MPI_Wait(&ahead, MPI_STATUS_IGNORE);
	MPI_Request_free(&persist);
	MPI_Comm_free(&dup);
	MPI_Finalize();
	return 0;
}
