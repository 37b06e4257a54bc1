#include "next.h"

#include "../show/inert.h"

static void put_command(FILE *to, int *n, const char *command, const char *name, const char *event)
{
	fprintf(to, "%shbdb %s", (*n)++ ? ", " : "next: ", command);
	if (name)
		fprintf(to, " %s", hb__tame(name));
	if (event)
		fprintf(to, " --at %s", event);
}

void hb__put_next(FILE *to, const char *name, const char *event, const char *const *commands)
{
	int n = 0;
	if (event && *event) {
		put_command(to, &n, "view", name, event);
		put_command(to, &n, "debug", name, event);
	}
	for (; commands && *commands; commands++)
		put_command(to, &n, *commands, name, NULL);
}
