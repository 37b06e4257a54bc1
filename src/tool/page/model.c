/* What a model of a correct run says of the one that the page shows: judged when it is asked for first. */
#include <stdlib.h>
#include <unistd.h>

#include "../graph/key/key.h"
#include "page.h"

#define FINDINGS_MOST 200

struct hb_page_model {
	hb_findings found;
	bool read;
	int code;
};

/* What was put into the page's file since it was emptied goes to the answer. */
static void give(hb_page_run *p, hb_text *ret)
{
	char *text = hb__taken(p->out, 0);
	hb_text_put(ret, text);
	free(text);
}

static bool empty(hb_page_run *p) { return !ftruncate(p->out->fd, 0) && !lseek(p->out->fd, 0, SEEK_SET); }

/* NULL: it cannot be judged, and that was said where hbdb was started. */
static const hb_judgement *judged(hb_page_run *p, const char **ret_why)
{
	if (!p->judged) {
		p->judged = hb__alloc(sizeof *p->judged);
		p->judged->found.run = p->run;
		p->judged->code = hb__model_read(&p->judged->found, p->model);
	}
	if (p->judged->code)
		*ret_why = "the model cannot be used: hbdb has said why where it was started";
	return p->judged->code ? NULL : hb__model_judgement(&p->judged->found);
}

static void put_finding(hb_page_run *p, const hb_finding *f, hb_text *ret)
{
	char name[HB_EVENT_NAME];
	hb_text_format(ret, "{\"finding\":\"%s\",\"severity\":\"%s\",\"sentence\":", hb_finding_kinds[f->id].id,
		hb__severity_names[hb_severity_of(f->id, f->possible, 0)]);
	hb_text_json(ret, f->sentence);
	hb_text_put(ret, ",\"at\":");
	if (f->npoints && f->point[0].at.line != HB_NO && f->point[0].at.event)
		hb_text_json(ret, hb__event_name(p->run, f->point[0].at, name));
	else
		hb_text_put(ret, "null");
	hb_text_put(ret, "}");
}

bool hb__page_model(void *user, hb_text *ret_json, const char **ret_why)
{
	hb_page_run *p = user;
	const hb_judgement *j = judged(p, ret_why);
	if (!j || !empty(p))
		return false;
	hb_text_put(ret_json, "{\"findings\":[");
	for (size_t i = 0; i < j->findings && i < FINDINGS_MOST; i++) {
		hb_text_put(ret_json, i ? "," : "");
		put_finding(p, &j->finding[i], ret_json);
	}
	hb_text_put(ret_json, "],\"sum\":");
	hb__model_json(&p->judged->found, p->out);
	give(p, ret_json);
	hb_text_put(ret_json, "}");
	return true;
}

bool hb__page_key(void *user, const char *key, bool coalesced, hb_text *ret_json, const char **ret_why)
{
	hb_page_run *p = user;
	hb_key_picture picture;
	hb_error err = {0};
	if (!judged(p, ret_why) || !empty(p))
		return false;
	bool good = !hb__key_picture_make(&p->judged->found, key, coalesced, &picture, &err);
	if (good) {
		hb__key_json(&picture, p->out);
		give(p, ret_json);
	} else {
		free(p->why);
		p->why = hb__copy(err.message);
		*ret_why = p->why;
	}
	hb__key_picture_free(&picture);
	return good;
}

void hb__page_end_model(hb_page_run *p)
{
	if (p->judged)
		hb__findings_free(&p->judged->found);
	free(p->judged);
}
