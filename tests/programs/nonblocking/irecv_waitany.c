/* Wildcard receives by Waitany: which request, whose message. */
#include "farm.h"

static void collect(void)
{
	int i;
	for (int n = 0; n < N; n++) {
		Waitany(N, r, &i, &st);
		got(i, &st);
	}
	Waitany(N, r, &i, &st); /* none is left */
	CHECK(i == MPI_UNDEFINED);
}
