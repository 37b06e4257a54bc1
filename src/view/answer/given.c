/* What was given beside the run: a model of a correct run, and what it says of this one; a reference, where this one differs from it, and the
 * map of an array that differs. */
#include "answer.h"
#include "view/build.h"

/* NULL: it was not given, and the request is refused. */
static const hb_view_source *model_of(struct hb_request *r)
{
	const hb_view_source *s = &r->server->o.source;
	if (!s->model)
		hb__view_refuse(r, 404, "no model was given: hbdb view --model FILE");
	return s->model ? s : NULL;
}

static const hb_view_source *reference_of(struct hb_request *r)
{
	const hb_view_source *s = &r->server->o.source;
	if (!s->differences)
		hb__view_refuse(r, 404, "no reference was given: hbdb view --against REFERENCE");
	return s->differences ? s : NULL;
}

void hb__answer_model(struct hb_request *r)
{
	const hb_view_source *s = model_of(r);
	const char *why = "the model cannot be read";
	if (s && !s->model(s->user, &r->out, &why))
		hb__view_refuse(r, 409, "%s", why);
}

void hb__answer_key(struct hb_request *r)
{
	const hb_view_source *s = model_of(r);
	const char *why = "there is no such key";
	char key[512];
	int64_t coalesced;
	if (!s || !hb__view_whole(r, "coalesced", 0, 0, 1, &coalesced))
		return;
	hb__view_parameter(r, "key", key, sizeof key);
	if (!s->key(s->user, key, coalesced, &r->out, &why))
		hb__view_refuse(r, 404, "%s", why);
}

void hb__answer_compare(struct hb_request *r)
{
	const hb_view_source *s = reference_of(r);
	if (s)
		s->differences(s->user, &r->out);
}

void hb__answer_map(struct hb_request *r)
{
	const hb_view_source *s = reference_of(r);
	const char *why = "there is no map of it";
	char part[512];
	int64_t of;
	if (!s || !hb__view_whole(r, "of", 0, 0, INT32_MAX, &of))
		return;
	hb__view_parameter(r, "part", part, sizeof part);
	if (!s->map(s->user, (size_t)of, part, &r->out, &why))
		hb__view_refuse(r, 409, "%s", why);
}
