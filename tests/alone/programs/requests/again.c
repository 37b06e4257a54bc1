/* The same calls round after round: again WRONG WHAT. Rank 0 sends, both exchange, by MPI_Isend, MPI_Irecv and MPI_Waitall and by MPI_Sendrecv.
 * In round WRONG rank 0 does otherwise: "send", "isend" and "sendrecv" change a number that this call sends, "tag" the tag of the send,
 * "wait" completes one request after the other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 24, N = 40 };

static int out[N], in[N], got[N];

static void fill(int round, int wrong)
{
	for (int k = 0; k < N; k++)
		out[k] = 1000 * round + k;
	out[N / 2] += wrong;
}

static void exchange(int peer, int waits)
{
	MPI_Request request[2];
	MPI_Status status[2];
	MPI_Irecv(in, N, MPI_INT, peer, 2, MPI_COMM_WORLD, &request[0]);
	MPI_Isend(out, N, MPI_INT, peer, 2, MPI_COMM_WORLD, &request[1]);
	if (waits) {
		MPI_Wait(&request[0], &status[0]);
		MPI_Wait(&request[1], MPI_STATUS_IGNORE);
	} else {
		MPI_Waitall(2, request, status);
	}
}

int main(int argc, char **argv)
{
	int rank, wrong = argc > 2 ? atoi(argv[1]) : -1, sum = 0;
	const char *what = argc > 2 ? argv[2] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < ROUNDS; i++) {
		int here = i == wrong && rank == 0;
		fill(i, here && !strcmp(what, "send"));
		if (rank == 0)
			MPI_Send(out, N, MPI_INT, 1, here && !strcmp(what, "tag") ? 7 : 1, MPI_COMM_WORLD);
		else
			MPI_Recv(got, N, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		fill(i, here && !strcmp(what, "isend"));
		exchange(1 - rank, here && !strcmp(what, "wait"));
		fill(i, here && !strcmp(what, "sendrecv"));
		MPI_Sendrecv(
			out, N, MPI_INT, 1 - rank, 3, got, N, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += in[i] + got[i];
	}
	printf("rank %d: %d\n", rank, sum);
	MPI_Finalize();
	return 0;
}
