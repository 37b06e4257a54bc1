/* A search that is cut short by bounds which the others find: the work done depends on when they are heard of. */
#include "expect.h"

#define N 12

static int weight[N], best = 1 << 20, goal, told;
static long nodes, heard;
static MPI_Request bounds[64];
static int incoming[64];

/* Bounds are kept posted, one receive for each of the others. */
static void listen(int from) { Irecv(&incoming[from], 1, MPI_INT, from, 1, WORLD, &bounds[from]); }

static void hear(void)
{
	int index;
	MPI_Status st;
	while (Testany(size, bounds, &index, &st) && index != MPI_UNDEFINED) {
		heard++;
		if (incoming[index] < 0) { /* that one has finished */
			told++;
			continue;
		}
		if (incoming[index] < best)
			best = incoming[index];
		listen(index);
	}
}

static void tell(int value)
{
	for (int i = 0; i < size; i++)
		if (i != rank)
			Send(&value, 1, MPI_INT, i, 1, WORLD);
}

static void search(int item, int sum)
{
	nodes++;
	if (nodes % 64 == 0)
		hear();
	if (abs(sum - goal) < best && sum <= goal) {
		best = goal - sum;
		tell(best);
	}
	if (item == N || sum > goal || best == 0)
		return;
	search(item + 1, sum + weight[item]);
	search(item + 1, sum);
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	for (int i = 0; i < N; i++) {
		weight[i] = 37 + (i * 71) % 101;
		goal += weight[i];
	}
	goal /= 2;
	bounds[rank] = MPI_REQUEST_NULL;
	for (int i = 0; i < size; i++)
		if (i != rank)
			listen(i);
	search(rank % 3, rank * 5 % goal);
	tell(-1);
	while (told < size - 1)
		hear();
	out("best %d after %ld nodes, %ld bounds heard", best, nodes, heard);
	Finalize();
	return 0;
}
