/* The library gives out the handle of a request again before the thread that ended the request has come back from MPI_Wait. Neither the thread
 * that posted nor the variable tells the two apart: the first thread posts both, and others end them, from variables of their own. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define TIMES 10

extern __thread void (*late)(void);
static sem_t over, back;

static void wait_for(sem_t *s)
{
	while (sem_wait(s))
		;
}

static void hold(void)
{
	sem_post(&over);
	wait_for(&back);
}

struct one {
	MPI_Request request;
	MPI_Status status;
	void (*late)(void);
	int got;
};

static void *end(void *p)
{
	struct one *o = p;
	late = o->late;
	MPI_Wait(&o->request, &o->status);
	return NULL;
}

static void begin(struct one *o, pthread_t *thread)
{
	MPI_Request request;
	MPI_Irecv(&o->got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
	o->request = request;
	pthread_create(thread, NULL, end, o);
}

static int receive_two(void)
{
	struct one one[2] = {{.late = hold}, {.late = NULL}};
	pthread_t thread[2];
	begin(&one[0], &thread[0]);
	MPI_Request first = one[0].request;
	wait_for(&over);
	begin(&one[1], &thread[1]);
	int same = first == one[1].request;
	MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
	pthread_join(thread[1], NULL);
	sem_post(&back);
	pthread_join(thread[0], NULL);
	printf("%d %d\n", one[0].status.MPI_TAG, one[1].status.MPI_TAG);
	return same;
}

static void send_two(int i)
{
	MPI_Send(&i, 1, MPI_INT, 0, 2 * i, MPI_COMM_WORLD);
	MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&i, 1, MPI_INT, 0, 2 * i + 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int level, rank, same = 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (level != MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 1);
	sem_init(&over, 0, 0);
	sem_init(&back, 0, 0);
	for (int i = 0; i < TIMES; i++) {
		if (rank)
			send_two(i);
		else
			same += receive_two();
	}
	if (!rank)
		fprintf(stderr, "same handle: %d of %d\n", same, TIMES); /* chance, but nearly always */
	MPI_Finalize();
	return 0;
}
