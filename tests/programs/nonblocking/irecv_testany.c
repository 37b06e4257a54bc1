/* Wildcard receives by Testany, with work between. */
#include "farm.h"

static void collect(void)
{
	long no = 0;
	int i;
	for (int left = N; left > 0;) {
		if (Testany(N, r, &i, &st)) {
			out("after %ld times no", no);
			got(i, &st);
			left--;
			no = 0;
		} else {
			no++;
		}
	}
	CHECK(Testany(N, r, &i, &st) && i == MPI_UNDEFINED);
}
