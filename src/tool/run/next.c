#include <stdlib.h>
#include <unistd.h>

#include "next.h"

#include "../show/inert.h"
#include "../store/manifest.h"

static void put_command(FILE *to, int *n, const char *command, const char *name, const char *event)
{
	fprintf(to, "%shbdb %s", (*n)++ ? ", " : "next: ", command);
	if (name) { /* it is copied into a shell */
		char *word = hb__shell_word(name);
		fprintf(to, " %s", word);
		free(word);
	}
	if (event)
		fprintf(to, " --at %s", event);
}

static bool imported(const char *path)
{
	hb_manifest m = {0};
	char *file = hb__format("%s/manifest.json", path);
	bool yes = !access(file, R_OK) && !hb__manifest_read(path, &m) && m.imported_from;
	hb__manifest_free(&m);
	free(file);
	return yes;
}

void hb__put_next(FILE *to, const char *path, const char *name, const char *event, const char *const *commands)
{
	int n = 0;
	if (event && *event) {
		put_command(to, &n, "view", name, event);
		if (!imported(path))
			put_command(to, &n, "debug", name, event);
	}
	for (; commands && *commands; commands++)
		put_command(to, &n, *commands, name, NULL);
}
