/* Every kind of value, names and texts that are not nice, and messages with keys of all sizes: one process, no MPI.
 * values own: some events are said in one run and not in another. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "other.h"

static int effects;

static int64_t effect(void)
{
	effects++;
	return 1;
}

int main(int argc, char **argv)
{
	char text[3000], name[400];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = 0;
	if (argc > 1 && !strcmp(argv[1], "crash")) {
		hb_event("before");
		abort();
	}
	if (argc > 1 && !strcmp(argv[1], "many")) {
		for (int i = 0; i < 5000; i++) {
			snprintf(name, sizeof name, "name %d", i);
			hb_event(name);
		}
		return 0;
	}
	hb_event("plain");
	HB_EVENT("integers", hb_integer("least", INT64_MIN), hb_integer("greatest", INT64_MAX),
		hb_integer("effect", effect()));
	HB_EVENT("reals", hb_real("tenth", 0.1), hb_real("nan", NAN), hb_real("infinite", -INFINITY),
		hb_real("zero", -0.0));
	HB_EVENT("texts", hb_text("quotes", "a \"b\" \\ \n\033[2J"), hb_text("empty", ""), hb_text("null", NULL),
		hb_text("long", text));
	hb_event(name);
	hb_event("MPI_Send");
	HB_EVENT("MPI_Recv", hb_integer("source", -1));
	HB_EVENT("many", hb_integer("a", 1), hb_integer("b", 2), hb_integer("c", 3), hb_integer("d", 4),
		hb_integer("e", 5), hb_integer("f", 6), hb_integer("g", 7), hb_integer("h", 8), hb_integer("i", 9),
		hb_integer("j", 10), hb_integer("k", 11), hb_integer("l", 12), hb_integer("m", 13), hb_integer("n", 14),
		hb_integer("o", 15), hb_integer("p", 16), hb_integer("q", 17));
	for (int i = 0; i < 3; i++) /* one place, several names and kinds */
		HB_EVENT(i ? "changing" : "first", hb_integer(i == 2 ? "other" : "same", i));
	static const uint64_t key[] = {0, 1, INT32_MAX, 1u + INT32_MAX, UINT64_MAX};
	for (int i = 0; i < 5; i++)
		hb_sent("keys", key[i], (uint64_t)i);
	for (int i = 4; i >= 0; i--)
		hb_received("keys", key[i], (uint64_t)i);
	hb_received("nobody sent", 1, 1);
	other_file();
	printf("%d effects\n", effects);
	return 0;
}
