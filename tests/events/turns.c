/* turns N [MILLISECONDS]: waits so long, then says "turn" N times, and N at last. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hbdb/event.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0, ms = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	struct timespec wait = {ms / 1000, ms % 1000 * 1000000};
	char last[32];
	nanosleep(&wait, NULL);
	for (long i = 0; i < n; i++)
		HB_EVENT("turn", hb_integer("i", i));
	snprintf(last, sizeof last, "last of %ld", n);
	hb_event(last);
	return 0;
}
