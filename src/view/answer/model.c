/* What a model of a correct run says of this one. */
#include "answer.h"
#include "view/build.h"

static const hb_view_source *source_of(struct hb_request *r)
{
	const hb_view_source *s = &r->server->o.source;
	if (!s->model)
		hb__view_refuse(r, 404, "no model was given: hbdb view --model FILE");
	return s->model ? s : NULL;
}

void hb__answer_model(struct hb_request *r)
{
	const hb_view_source *s = source_of(r);
	const char *why = "the model cannot be read";
	if (s && !s->model(s->user, &r->out, &why))
		hb__view_refuse(r, 409, "%s", why);
}

void hb__answer_key(struct hb_request *r)
{
	const hb_view_source *s = source_of(r);
	const char *why = "there is no such key";
	char key[512];
	int64_t coalesced;
	if (!s || !hb__view_whole(r, "coalesced", 0, 0, 1, &coalesced))
		return;
	hb__view_parameter(r, "key", key, sizeof key);
	if (!s->key(s->user, key, coalesced, &r->out, &why))
		hb__view_refuse(r, 404, "%s", why);
}
