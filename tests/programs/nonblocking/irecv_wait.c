/* Wildcard receives waited for from the last to the first. */
#include "farm.h"

static void collect(void)
{
	for (int i = N - 1; i >= 0; i--) {
		Wait(&r[i], &st);
		got(i, &st);
	}
}
