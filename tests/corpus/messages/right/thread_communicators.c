/*
 * processes: 2
 * why: each thread has its own communicator, type and requests; the library gives handles of one thread to another
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
static int rank;

static void *work(void *comm)
{
	MPI_Comm mine = *(MPI_Comm *)comm, dup;
	long bad = 0;
	for (int i = 0; i < 20; i++) {
		int in, out = i, sum;
		MPI_Request r[2];
		MPI_Datatype type;
		MPI_Type_contiguous(1, MPI_INT, &type);
		MPI_Type_commit(&type);
		MPI_Irecv(&in, 1, type, !rank, i, mine, &r[0]);
		MPI_Isend(&out, 1, type, !rank, i, mine, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Type_free(&type);
		MPI_Comm_dup(mine, &dup);
		MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, dup);
		MPI_Comm_free(&dup);
		bad += in != i || sum != 2 * i;
	}
	return (void *)bad;
}

int main(int argc, char **argv)
{
	int level;
	MPI_Comm comm[THREADS];
	pthread_t thread[THREADS];
	void *bad;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, &comm[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &bad);
		printf("%ld\n", (long)bad);
		MPI_Comm_free(&comm[i]);
	}
	MPI_Finalize();
	return 0;
}
