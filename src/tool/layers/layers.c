/* The names of the layers of a recording. */
#include <stdlib.h>
#include <string.h>

#include "layers.h"

static const char *const names[] = {"mpi", "user", "threads", "inputs", "sockets"};
#define NAMES (sizeof names / sizeof *names)

unsigned hb__layer_named(const char *name, size_t length)
{
	for (size_t i = 0; i < NAMES; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], name, length))
			return 1u << i;
	return 0;
}

hb_strings hb__layer_names(unsigned layers)
{
	hb_strings list = {0};
	for (size_t i = 0; i < NAMES; i++)
		if (layers & 1u << i)
			hb__push(&list, names[i]);
	return list;
}

char *hb__layers_text(unsigned layers, const char *between)
{
	hb_strings list = hb__layer_names(layers);
	char *text = hb__copy("");
	for (size_t i = 0; i < list.n; i++) {
		char *more = hb__format("%s%s%s", text, i ? between : "", list.at[i]);
		free(text);
		text = more;
	}
	hb__strings_free(&list);
	return text;
}
