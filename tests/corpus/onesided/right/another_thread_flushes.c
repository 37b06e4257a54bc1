/*
 * processes: 2
 * why: one thread gets, another one flushes, and the first reads what came
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static MPI_Win win;
static int peer;
static pthread_barrier_t turn;

static void *flushes(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20; i++) {
		pthread_barrier_wait(&turn);
		MPI_Win_flush(peer, win);
		pthread_barrier_wait(&turn);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int rank, level, sum = 0, *mem, got[4];
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	peer = !rank;
	MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 4; i++)
		mem[i] = rank + i;
	pthread_barrier_init(&turn, NULL, 2);
	MPI_Win_lock_all(0, win);
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	pthread_create(&thread, NULL, flushes, NULL);
	for (int i = 0; i < 20; i++) {
		MPI_Get(got, 4, MPI_INT, peer, 0, 4, MPI_INT, win);
		pthread_barrier_wait(&turn);
		pthread_barrier_wait(&turn);
		sum += got[0] + got[3];
		got[0] = 0;
	}
	pthread_join(thread, NULL);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	printf("%d\n", sum);
	MPI_Finalize();
	return 0;
}
