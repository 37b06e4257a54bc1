/* Wildcard receives by Waitall, in two halves, the later one first. */
#include "farm.h"

static void collect(void)
{
	Waitall(N / 2, r + N / 2, sts + N / 2);
	Waitall(N / 2, r, sts);
	for (int i = 0; i < N; i++)
		got(i, &sts[i]);
}
