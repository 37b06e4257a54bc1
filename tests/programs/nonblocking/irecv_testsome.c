/* Wildcard receives by Testsome; the receiver sleeps at times, so that several come at once. */
#include "farm.h"

static void collect(void)
{
	long no = 0;
	int done, which[N];
	for (int left = N; left > 0;) {
		if (!Testsome(N, r, &done, which, sts)) {
			no++;
			continue;
		}
		out("%d at once after %ld times no", done, no);
		for (int k = 0; k < done; k++)
			got(which[k], &sts[k]);
		left -= done;
		linger(500);
	}
	CHECK(Testsome(N, r, &done, which, sts) && done == MPI_UNDEFINED);
}
