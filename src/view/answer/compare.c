/* The run against a reference: its differences, and the map of an array that differs. */
#include "answer.h"
#include "view/build.h"

static const hb_view_source *source_of(struct hb_request *r)
{
	const hb_view_source *s = &r->server->o.source;
	if (!s->differences)
		hb__view_refuse(r, 404, "no reference was given: hbdb view --against REFERENCE");
	return s->differences ? s : NULL;
}

void hb__answer_compare(struct hb_request *r)
{
	const hb_view_source *s = source_of(r);
	if (s)
		s->differences(s->user, &r->out);
}

void hb__answer_map(struct hb_request *r)
{
	const hb_view_source *s = source_of(r);
	const char *why = "there is no map of it";
	char part[512];
	int64_t of;
	if (!s || !hb__view_whole(r, "of", 0, 0, INT32_MAX, &of))
		return;
	hb__view_parameter(r, "part", part, sizeof part);
	if (!s->map(s->user, (size_t)of, part, &r->out, &why))
		hb__view_refuse(r, 409, "%s", why);
}
