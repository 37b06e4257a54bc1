/* hbdb compare report */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../store/find.h"
#include "../terminal.h"
#include "verbs.h"

static int read_number(const hb_args *args, const char *option, double *number)
{
	const char *text = hb__option_value(args, option);
	char *end;
	if (!text)
		return 0;
	*number = strtod(text, &end);
	if (end == text || *end || !isfinite(*number) || *number < 0)
		return hb__fail_with(
			HB_EXIT_USAGE, "compare --%s takes a number that is not negative, but got '%s'", option, text);
	return 0;
}

int hb__read_tolerances(const hb_args *args, hb_reference_tolerance *t)
{
	int code = read_number(args, "tolerance", &t->relative);
	return code ? code : read_number(args, "absolute", &t->absolute);
}

static int open_side(hb_against *c, unsigned side, const char *name)
{
	char *path = NULL;
	int code = hb__find_traced(name, &path);
	code = code ? code : hb__open_traced(name, path, &c->side[side]);
	free(path);
	return code;
}

int hb__compare_report(const hb_args *args)
{
	hb_against c = {.tolerance = {.relative = 1e-8},
		.json = hb__option_value(args, "json") != NULL,
		.all = hb__option_value(args, "all") != NULL};
	if (args->nwords != 3 || args->rest)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare report takes two recordings, as in 'hbdb compare report reference.hbdb run.hbdb'");
	int code = hb__read_tolerances(args, &c.tolerance);
	code = code ? code : open_side(&c, HB_OF_REFERENCE, args->word[1]);
	code = code ? code : open_side(&c, HB_OF_RUN, args->word[2]);
	code = code ? code : hb__against_begin(&c);
	code = code ? code : hb__against_go(&c);
	if (!code) {
		hb__page();
		code = hb__against_print(&c, stdout);
	}
	hb__against_end(&c);
	hb__close_traced(&c.side[0]);
	hb__close_traced(&c.side[1]);
	return code;
}
