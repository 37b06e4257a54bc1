/* Wildcard receives by Waitsome: how many at once is printed too. */
#include "farm.h"

static void collect(void)
{
	int done, which[N];
	for (int n = 0; n < N; n += done) {
		Waitsome(N, r, &done, which, sts);
		CHECK(done > 0);
		out("%d at once", done);
		for (int k = 0; k < done; k++)
			got(which[k], &sts[k]);
		usleep(200);
	}
	Waitsome(N, r, &done, which, sts);
	CHECK(done == MPI_UNDEFINED);
}
