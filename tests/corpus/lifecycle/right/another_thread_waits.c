/*
 * processes: 2
 * why: one thread posts, another one waits, and the first uses the buffer afterwards
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static MPI_Request r[2];
static int in[16], out[16];
static pthread_barrier_t turn;

static void *waits(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20; i++) {
		pthread_barrier_wait(&turn);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		pthread_barrier_wait(&turn);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int rank, level, sum = 0;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_barrier_init(&turn, NULL, 2);
	pthread_create(&thread, NULL, waits, NULL);
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 16; k++)
			out[k] = i + k;
		MPI_Irecv(in, 16, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(out, 16, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r[1]);
		pthread_barrier_wait(&turn);
		pthread_barrier_wait(&turn);
		for (int k = 0; k < 16; k++) {
			sum += in[k];
			in[k] = 0;
			out[k] = -1;
		}
	}
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&turn);
	printf("%d\n", sum);
	MPI_Finalize();
	return 0;
}
