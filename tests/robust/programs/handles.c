/* Threads that each do the same every time, in an order that differs from run to run: communicators, datatypes, operations,
 * windows and files come and go in all of them at once, and what the first thread made is used by each as it comes.
 * usage: handles [other]: the last but one thread uses the datatype of another */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 6

static int rank, size;
static MPI_Comm own[THREADS];
static MPI_Datatype shared_type[THREADS];
static MPI_Op shared_op[THREADS];
static char folder[4096];
static int other;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* Up to half a millisecond, by the clock: no two runs are alike. */
static void wait_a_little(void)
{
	struct timespec now, t = {0, 0};
	clock_gettime(CLOCK_MONOTONIC, &now);
	t.tv_nsec = (long)((unsigned long)now.tv_nsec * 2654435761u % 500000u);
	nanosleep(&t, NULL);
}

static void exchange(MPI_Comm comm, MPI_Datatype type, int tag)
{
	int out[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[8];
	MPI_Sendrecv(out, 1, type, (rank + 1) % size, tag, in, 1, type, (rank + size - 1) % size, tag, comm,
		MPI_STATUS_IGNORE);
}

static void use_types(MPI_Comm comm, int self)
{
	MPI_Datatype column, copy;
	MPI_Type_vector(4, 1, 2, MPI_INT, &column);
	MPI_Type_commit(&column);
	wait_a_little();
	exchange(comm, column, self);
	MPI_Type_dup(column, &copy);
	MPI_Type_free(&column);
	wait_a_little();
	exchange(comm, copy, self);
	exchange(comm, shared_type[self % 2], self);
	exchange(comm, shared_type[other && self == 2 ? 3 : 2], self);
	MPI_Type_free(&copy);
}

static void use_ops(MPI_Comm comm, int self)
{
	int in[4] = {rank, 1, 2, 3}, out[4];
	MPI_Op op;
	MPI_Op_create(add, 1, &op);
	wait_a_little();
	MPI_Allreduce(in, out, 4, MPI_INT, op, comm);
	MPI_Allreduce(in, out, 4, MPI_INT, shared_op[(self + 1) % 3], comm);
	MPI_Op_free(&op);
}

static void use_window(MPI_Comm comm, int self)
{
	int *memory, out = self;
	MPI_Win win;
	MPI_Win_allocate(sizeof(int) * 4, sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
	MPI_Win_fence(0, win);
	wait_a_little();
	MPI_Put(&out, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}

static void use_file(MPI_Comm comm, int self)
{
	char path[4200];
	int out = self;
	MPI_File file;
	snprintf(path, sizeof path, "%s/handles.%d", folder, self);
	MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	wait_a_little();
	MPI_File_write_at(file, rank * 4, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
}

static void *work(void *p)
{
	int self = *(int *)p;
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Comm copy, half, late;
		MPI_Request r;
		wait_a_little();
		MPI_Comm_dup(own[self], &copy);
		wait_a_little();
		MPI_Comm_split(copy, 0, rank, &half);
		MPI_Comm_idup(half, &late, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		use_types(late, self);
		use_ops(half, self);
		if (self % 2) /* not every library makes them in several threads at once */
			exchange(half, MPI_INT, 9);
		MPI_Comm_free(&copy);
		wait_a_little();
		MPI_Comm_free(&half);
		MPI_Comm_free(&late);
	}
	return NULL;
}

/* Windows and files in one thread each. */
static void *apart(void *p)
{
	int self = *(int *)p;
	for (int i = 0; i < ROUNDS; i++) {
		wait_a_little();
		(self ? use_file : use_window)(own[self], self);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int level, number[THREADS + 2];
	pthread_t thread[THREADS];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (level != MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 3);
	other = argc > 1;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!getcwd(folder, sizeof folder))
		return 1;
	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
		MPI_Type_contiguous(i + 1, MPI_INT, &shared_type[i]);
		MPI_Type_commit(&shared_type[i]);
		MPI_Op_create(add, 1, &shared_op[i]);
	}
	exchange(MPI_COMM_WORLD, shared_type[3], 1);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < (round ? 2 : THREADS); i++)
			pthread_create(&thread[i], NULL, round ? apart : work, &number[i]);
		for (int i = 0; i < (round ? 2 : THREADS); i++)
			pthread_join(thread[i], NULL);
	}
	for (int i = 0; i < THREADS; i++) {
		MPI_Comm_free(&own[i]);
		MPI_Type_free(&shared_type[i]);
		MPI_Op_free(&shared_op[i]);
	}
	MPI_Finalize();
	return 0;
}
