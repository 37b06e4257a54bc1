/* What short messages and collectives hold, of every length around those that are digested in the wrapper, at the same place again and
 * again: where they lay before, elsewhere in that page, across its end, in another page, and in memory that was given back meanwhile
 * and came again. A replay, which takes no quick way, finds the same digests. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "expect_coll.h"

enum { TURNS = 12, LONGEST = 20, PAGE = 4096 };

static unsigned char *pages; /* two for what is given, two for what is got */

static void map_again(void)
{
	int how = MAP_PRIVATE | MAP_ANONYMOUS;
	if (pages)
		munmap(pages, 4 * PAGE);
	void *at = mmap(pages, 4 * PAGE, PROT_READ | PROT_WRITE, pages ? how | MAP_FIXED : how, -1, 0);
	CHECK(at != MAP_FAILED);
	pages = at;
}

/* Where the contents of this turn lie in their two pages. */
static int offset_of(int turn, int bytes)
{
	switch (turn % 6) {
	case 0:
	case 1:
		return 64;
	case 2:
		return 64 + turn;
	case 3:
		return PAGE - bytes;
	case 4:
		return PAGE - bytes / 2 - 1;
	default:
		return PAGE + 8;
	}
}

static void turn(int i, int bytes)
{
	unsigned char *give = pages + offset_of(i, bytes), *get = give + 2 * PAGE;
	MPI_Request r;
	MPI_Status st;
	for (int k = 0; k < bytes; k++)
		give[k] = (unsigned char)(7 * i + k + rank);
	Irecv(get, bytes, MPI_BYTE, 0, 1, MPI_COMM_SELF, &r);
	Send(give, bytes, MPI_BYTE, 0, 1, MPI_COMM_SELF);
	Wait(&r, &st);
	CHECK(!memcmp(give, get, (size_t)bytes));
	Isend(give, bytes, MPI_BYTE, 0, 2, MPI_COMM_SELF, &r);
	Recv(get, bytes, MPI_BYTE, 0, 2, MPI_COMM_SELF, &st);
	Wait(&r, &st);
	Allreduce(give, get, bytes, MPI_BYTE, MPI_BOR, WORLD);
	Reduce(give, get, bytes, MPI_BYTE, MPI_BXOR, size - 1, WORLD);
	Bcast(give, bytes, MPI_BYTE, 0, WORLD);
	CHECK(give[0] == (unsigned char)(7 * i));
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	for (int bytes = 1; bytes <= LONGEST; bytes++)
		for (int i = 0; i < TURNS; i++) {
			if (i % 4 == 0)
				map_again();
			turn(i, bytes);
		}
	Finalize();
	return 0;
}
