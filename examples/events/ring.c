/* MPI and a ring in shared memory beside it: rank 0 hands numbers to each other process of its node without MPI, and MPI adds
 * up what they make of them. Each reader has a ring, and a message's key is its number in it. A writer that waits for room in a full ring waits for the
 * reader: that is a message, too, back to the writer. */
#include <stdint.h>
#include <stdio.h>

#include <hbdb/event.h>
#include <mpi.h>

#define ROOM 4
#define MESSAGES 25

struct ring {
	unsigned written, taken; /* so far */
	int number[ROOM];
};

static unsigned load(const unsigned *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
static void store(unsigned *p, unsigned v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }

static const char *name_of(const char *what, int reader)
{
	static char name[32];
	snprintf(name, sizeof name, "%s %d", what, reader);
	return name;
}

static void write_to(struct ring *r, int reader, int number)
{
	unsigned n = r->written;
	while (n - load(&r->taken) == ROOM)
		;
	if (n >= ROOM)
		hb_received(name_of("room in ring", reader), n - ROOM, 0);
	r->number[n % ROOM] = number;
	hb_sent(name_of("ring", reader), n, sizeof number);
	store(&r->written, n + 1);
}

static int read_from(struct ring *r, int reader)
{
	unsigned n = r->taken;
	while (load(&r->written) == n)
		;
	int number = r->number[n % ROOM];
	hb_received(name_of("ring", reader), n, sizeof number);
	hb_sent(name_of("room in ring", reader), n, 0);
	store(&r->taken, n + 1);
	return number;
}

int main(int argc, char **argv)
{
	MPI_Comm node;
	MPI_Win window;
	struct ring *ring;
	int rank, size;
	long sum = 0, all = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &rank);
	MPI_Comm_size(node, &size);
	MPI_Win_allocate_shared((MPI_Aint)sizeof *ring, sizeof *ring, MPI_INFO_NULL, node, &ring, &window);
	*ring = (struct ring){0};
	MPI_Barrier(node);
	hb_begin("rings");
	for (int i = 0; i < MESSAGES; i++) {
		if (rank) {
			sum += read_from(ring, rank);
			continue;
		}
		for (int to = 1; to < size; to++) {
			struct ring *other;
			MPI_Aint bytes;
			int unit;
			MPI_Win_shared_query(window, to, &bytes, &unit, &other);
			write_to(other, to, i * to);
		}
	}
	hb_end("rings");
	MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, node);
	if (rank == 0)
		printf("%ld\n", all);
	MPI_Win_free(&window);
	MPI_Comm_free(&node);
	MPI_Finalize();
	return 0;
}
