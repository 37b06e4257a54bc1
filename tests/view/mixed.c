/* A little of everything: threads, synchronous sends, collectives on several communicators, probes, requests, polls. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, size;

static void ring(MPI_Comm comm)
{
	int got = 0, next = (rank + 1) % size, before = (rank + size - 1) % size;
	MPI_Request requests[2];
	MPI_Irecv(&got, 1, MPI_INT, before, 5, comm, &requests[0]);
	MPI_Issend(&rank, 1, MPI_INT, next, 5, comm, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Sendrecv(&rank, 1, MPI_INT, next, 6, &got, 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, MPI_STATUS_IGNORE);
}

static void gather(void)
{
	int value = rank, flag = 0;
	MPI_Status status;
	if (rank) {
		MPI_Ssend(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
		MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
		return;
	}
	for (int i = 1; i < size; i++) {
		while (!flag)
			MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &status);
		flag = 0;
		MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void *beside(void *comm)
{
	for (int i = 0; i < 4; i++)
		MPI_Barrier(*(MPI_Comm *)comm);
	return NULL;
}

int main(int argc, char **argv)
{
	int level, sum;
	pthread_t thread;
	MPI_Comm half, other;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
	if (level == MPI_THREAD_MULTIPLE)
		pthread_create(&thread, NULL, beside, &other);
	for (int i = 0; i < 5; i++) {
		ring(MPI_COMM_WORLD);
		gather();
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
		MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
		MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	if (level == MPI_THREAD_MULTIPLE)
		pthread_join(thread, NULL);
	MPI_Comm_free(&half);
	MPI_Comm_free(&other);
	MPI_Finalize();
	return 0;
}
