/* Tasks make tasks: workers hand theirs to rank 0 and ask for another. Who gets which is a matter of time,
 * and so is what comes out. It ends when the pool is empty and everybody waits. */
#include "expect.h"

enum { ASK = 1, TASK, STOP };

static int pool[8192], top, idle[64], nidle;

static void hand_out(void)
{
	while (nidle > 0 && top > 0)
		Send(&pool[--top], 1, MPI_INT, idle[--nidle], TASK, WORLD);
}

static void serve(void)
{
	int in[4];
	long polls = 0;
	unsigned hash = 1;
	MPI_Status st;

	pool[top++] = 5;
	while (nidle < size - 1 || top > 0) {
		if (!Iprobe(MPI_ANY_SOURCE, ASK, WORLD, &st)) {
			polls++;
			continue;
		}
		Recv(in, 4, MPI_INT, st.MPI_SOURCE, ASK, WORLD, &st);
		for (int i = 1; i <= in[0]; i++)
			pool[top++] = in[i];
		hash = hash * 31 + (unsigned)(st.MPI_SOURCE * 8 + in[0]);
		idle[nidle++] = st.MPI_SOURCE;
		hand_out();
	}
	for (int i = 1; i < size; i++)
		Send(NULL, 0, MPI_INT, i, STOP, WORLD);
	out("%x after %ld polls", hash, polls);
}

static void work(void)
{
	int children[4] = {0}, task, tasks = 0, sum = 0;
	MPI_Status st;

	for (;;) {
		Send(children, 1 + children[0], MPI_INT, 0, ASK, WORLD);
		Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD, &st);
		if (st.MPI_TAG == STOP)
			break;
		tasks++;
		sum = sum * 3 + task;
		linger(50);
		children[0] = task > 0 ? 1 + task % 3 : 0;
		for (int i = 1; i <= children[0]; i++)
			children[i] = task - i > 0 ? task - i : 0;
	}
	out("%d tasks, %d", tasks, sum);
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	if (rank == 0)
		serve();
	else
		work();
	Finalize();
	return 0;
}
