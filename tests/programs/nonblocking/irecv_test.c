/* Wildcard receives by Test in a loop over all: how often it said no is part of the output. */
#include "farm.h"

static void collect(void)
{
	long no = 0;
	for (int left = N, i = 0; left > 0; i = (i + 5) % N) {
		if (r[i] == MPI_REQUEST_NULL)
			continue;
		if (Test(&r[i], &st)) {
			out("after %ld times no", no);
			got(i, &st);
			left--;
		} else {
			no++;
		}
	}
}
