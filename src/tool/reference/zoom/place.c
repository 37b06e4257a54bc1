/* Where two recorded runs part. */
#include <stdlib.h>

#include "../../store/find.h"
#include "../verbs.h"

static void take(const hb_against *c, hb_difference_place *ret)
{
	ret->compared = true;
	ret->any = c->any;
	ret->correct = c->correct;
	ret->first = c->first;
	ret->values = hb_reference_get_sum(c->rules)->values;
	if (!c->array)
		return;
	const hb_array_id *id = &c->array->id;
	ret->id = (hb_array_id){hb__copy(id->name), hb__copy(id->file ? id->file : ""), id->line, id->ordinal};
	ret->array_at = c->array_at;
}

int hb__place_of_difference(const hb_args *args, const char *reference, const char *run,
	const hb_reference_tolerance *tolerance, hb_difference_place *ret)
{
	char *name[2] = {hb__copy(hb__short(reference)), hb__copy(hb__short(run))};
	hb_against c = {.tolerance = *tolerance,
		.json = args && hb__option_value(args, "json") != NULL,
		.all = args && hb__option_value(args, "all") != NULL};
	*ret = (hb_difference_place){0};
	int code = hb__open_traced(name[0], reference, &c.side[HB_OF_REFERENCE]);
	code = code ? code : hb__open_traced(name[1], run, &c.side[HB_OF_RUN]);
	code = code ? code : hb__against_begin(&c);
	code = code ? code : hb__against_go(&c);
	if (!code)
		take(&c, ret);
	if (!code && args) {
		code = hb__against_print(&c, stdout);
		fflush(stdout);
	}
	hb__against_end(&c);
	hb__close_traced(&c.side[0]);
	hb__close_traced(&c.side[1]);
	free(name[0]);
	free(name[1]);
	return code;
}

void hb__place_free(hb_difference_place *place)
{
	free(place->id.name);
	free(place->id.file);
	*place = (hb_difference_place){0};
}
